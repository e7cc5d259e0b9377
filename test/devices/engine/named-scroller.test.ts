import { expect, test } from 'vitest'
import { findNamedScroller } from '../../../src/devices/engine/actions/search/scrollers.ts'
import { node, screen, type Sketch } from '../../screen/tree-builder.ts'

const strip = node({ scrollable: 'true', bounds: '[0,200][1080,320]' })
const list = node({ scrollable: 'true', bounds: '[0,340][1080,2000]' })
const read = (...parts: readonly Sketch[]) => screen(node({ bounds: '[0,0][1080,2200]' }, ...parts))
const show = (tree: ReturnType<typeof read>, top: number) => tree.nodes.find(({ bounds }) => bounds?.top === top)

test('of several lists of a kind, one whose path changed is found at its edges', () => {
  const before = show(read(strip, list), 340) ?? expect.fail('no list')
  const now = read(node({ bounds: '[0,100][1080,180]' }), strip, list)
  expect(findNamedScroller(now, before)).toBe(show(now, 340))
})

test('a list at other edges is another one', () => {
  const before = show(read(strip, list), 340) ?? expect.fail('no list')
  const beside = node({ scrollable: 'true', bounds: '[540,900][1080,1800]' })
  const now = read(node({ bounds: '[0,100][1080,180]' }), node({ bounds: '[0,181][1080,190]' }), strip, beside)
  expect(findNamedScroller(now, before)).toBeUndefined()
})
