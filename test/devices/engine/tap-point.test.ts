import { expect, test } from 'vitest'
import { receiverOf, tapPoint, touchedAt } from '../../../src/devices/engine/tap-point.ts'
import type { Hierarchy } from '../../../src/screen/hierarchy.ts'
import { node, screen as tree } from '../../screen/tree-builder.ts'

const clickable = { clickable: 'true' }

test('a label is touched in its own middle, for the row around it', () => {
  const screen = tree(
    node({}, node({ ...clickable, bounds: '[0,0][1000,200]' }, node({ bounds: '[0,0][200,200]' }))),
  )
  const [row, label] = [at(screen, '0.0'), at(screen, '0.0.0')]
  expect(receiverOf(label, 'click')).toBe(row)
  expect(tapPoint(screen, label, row)).toEqual({ x: 100, y: 100 })
})

test('a row is touched beside the switch that covers its middle', () => {
  const screen = tree(
    node(
      {},
      node(
        { ...clickable, bounds: '[0,0][1000,200]' },
        node({ ...clickable, bounds: '[300,0][700,200]' }),
      ),
    ),
  )
  const row = at(screen, '0.0')
  const point = tapPoint(screen, row, row) ?? expect.fail('no point')
  expect(touchedAt(screen, point)).toBe(row)
  expect(point.x < 300 || point.x >= 700).toBe(true)
})

test('what floats above a row is avoided', () => {
  const screen = tree(
    node(
      {},
      node({ ...clickable, bounds: '[0,0][1000,200]' }),
      node({ ...clickable, bounds: '[400,50][600,150]' }),
    ),
  )
  const row = at(screen, '0.0')
  const point = tapPoint(screen, row, row) ?? expect.fail('no point')
  expect(touchedAt(screen, point)).toBe(row)
})

test('what is covered whole is touched in the middle all the same', () => {
  const screen = tree(
    node(
      {},
      node({ ...clickable, bounds: '[0,0][100,100]' }),
      node({ ...clickable, bounds: '[0,0][1000,1000]' }),
    ),
  )
  const below = at(screen, '0.0')
  expect(tapPoint(screen, below, below)).toEqual({ x: 50, y: 50 })
})

test('only the part on the screen is touched, and nothing where there is none', () => {
  const screen = tree(
    node(
      { bounds: '[0,0][1000,1000]' },
      node({ ...clickable, bounds: '[-200,900][200,1400]' }),
      node({ ...clickable, bounds: '[2000,0][2100,100]' }),
      node({ ...clickable, bounds: '' }),
    ),
  )
  const partly = at(screen, '0.0')
  expect(tapPoint(screen, partly, partly)).toEqual({ x: 100, y: 950 })
  expect(tapPoint(screen, at(screen, '0.1'), undefined)).toBeUndefined()
  expect(tapPoint(screen, at(screen, '0.2'), undefined)).toBeUndefined()
})

test('a long press looks for what takes long presses first', () => {
  const screen = tree(
    node(
      {},
      node(
        { 'long-clickable': 'true', bounds: '[0,0][500,500]' },
        node({ bounds: '[0,0][100,100]' }),
      ),
    ),
  )
  const inner = at(screen, '0.0.0')
  expect(receiverOf(inner, 'long_click')).toBe(at(screen, '0.0'))
  expect(receiverOf(inner, 'click')).toBeUndefined()
})

function at(screen: Hierarchy, path: string) {
  return screen.nodes.find((one) => one.path === path) ?? expect.fail(`no node ${path}`)
}
