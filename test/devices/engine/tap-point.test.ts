import { expect, test } from 'vitest'
import { findReceiver, chooseTapPoint, findTouchedNode } from '../../../src/devices/engine/tap-point.ts'
import type { Hierarchy } from '../../../src/screen/tree/hierarchy.ts'
import { node, screen as tree } from '../../screen/tree-builder.ts'

const clickable = { clickable: 'true' }

test('a label is touched at its centre for its row', () => {
  const screen = tree(node({}, node({ ...clickable, bounds: '[0,0][1000,200]' }, node({ bounds: '[0,0][200,200]' }))))
  const [row, label] = [findNode(screen, '0.0'), findNode(screen, '0.0.0')]
  expect(findReceiver(label, 'click')).toBe(row)
  expect(chooseTapPoint(screen, label, row)).toEqual({ x: 100, y: 100 })
})

test('a row is touched beside the switch that covers its centre', () => {
  const screen = tree(
    node({}, node({ ...clickable, bounds: '[0,0][1000,200]' }, node({ ...clickable, bounds: '[300,0][700,200]' }))),
  )
  const row = findNode(screen, '0.0')
  const point = chooseTapPoint(screen, row, row) ?? expect.fail('no point')
  expect(findTouchedNode(screen, point)).toBe(row)
  expect(point.x < 300 || point.x >= 700).toBe(true)
})

test('a node that floats above a row is avoided', () => {
  const screen = tree(
    node({}, node({ ...clickable, bounds: '[0,0][1000,200]' }), node({ ...clickable, bounds: '[400,50][600,150]' })),
  )
  const row = findNode(screen, '0.0')
  const point = chooseTapPoint(screen, row, row) ?? expect.fail('no point')
  expect(findTouchedNode(screen, point)).toBe(row)
})

test('a fully covered node is touched at its centre', () => {
  const screen = tree(
    node({}, node({ ...clickable, bounds: '[0,0][100,100]' }), node({ ...clickable, bounds: '[0,0][1000,1000]' })),
  )
  const below = findNode(screen, '0.0')
  expect(chooseTapPoint(screen, below, below)).toEqual({ x: 50, y: 50 })
})

test('only the visible part is touched; a node without one has no tap point', () => {
  const screen = tree(
    node(
      { bounds: '[0,0][1000,1000]' },
      node({ ...clickable, bounds: '[-200,900][200,1400]' }),
      node({ ...clickable, bounds: '[2000,0][2100,100]' }),
      node({ ...clickable, bounds: '' }),
    ),
  )
  const partly = findNode(screen, '0.0')
  expect(chooseTapPoint(screen, partly, partly)).toEqual({ x: 100, y: 950 })
  expect(chooseTapPoint(screen, findNode(screen, '0.1'), undefined)).toBeUndefined()
  expect(chooseTapPoint(screen, findNode(screen, '0.2'), undefined)).toBeUndefined()
})

test('a long press prefers a long-clickable ancestor', () => {
  const screen = tree(
    node({}, node({ 'long-clickable': 'true', bounds: '[0,0][500,500]' }, node({ bounds: '[0,0][100,100]' }))),
  )
  const inner = findNode(screen, '0.0.0')
  expect(findReceiver(inner, 'long_click')).toBe(findNode(screen, '0.0'))
  expect(findReceiver(inner, 'click')).toBeUndefined()
})

function findNode(screen: Hierarchy, path: string) {
  return screen.nodes.find((one) => one.path === path) ?? expect.fail(`no node ${path}`)
}
