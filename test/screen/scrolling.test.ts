import { expect, test } from 'vitest'
import type { Direction } from '@apprentice/contracts/devices/action.ts'
import type { UiNode } from '../../src/screen/tree/hierarchy.ts'
import { resolveScrollContainer } from '../../src/screen/scroll-container.ts'
import { computeMovementSignature, computeSwipe } from '../../src/screen/scroll-geometry.ts'
import { type Sketch, node, screen, text } from './tree-builder.ts'

const bounds = { left: 100, top: 200, right: 1100, bottom: 2200 }

test.each<[Direction, number, [number, number, number, number]]>([
  ['down', 0.7, [600, 1240, 600, 680]],
  ['up', 0.7, [600, 1160, 600, 1720]],
  ['right', 0.7, [620, 1200, 340, 1200]],
  ['left', 0.7, [580, 1200, 860, 1200]],
  ['down', 1, [600, 1000, 600, 200]],
  ['up', 1, [600, 1400, 600, 2199]],
  ['down', 0, [600, 1800, 600, 1800]],
])('%s by %d swipes along %j', (direction, ratio, [x1, y1, x2, y2]) => {
  expect(computeSwipe(bounds, direction, ratio)).toEqual({ x1, y1, x2, y2, duration_ms: 250 })
})

const list = (...rows: readonly Sketch[]): UiNode => {
  const container = screen(node({ scrollable: 'true' }, ...rows)).nodes[0]
  if (container === undefined) throw new Error('no list')
  return container
}
const row = (label: string, top: number, left = 0) =>
  node({ 'resource-id': 'a:id/row', bounds: `[${left},${top}][1000,${top + 90}]` }, text(label))

test('a container that did not move has the same signature', () => {
  const rows = [row('A', 0), row('B', 100), row('C', 200)]
  expect(computeMovementSignature(list(...rows), 'down')).toBe(computeMovementSignature(list(...rows), 'down'))
  expect(computeMovementSignature(list(...rows, row('D', 300)), 'down')).toBe(
    computeMovementSignature(list(...rows), 'down'),
  )
})

test('movement is detected along the axis of the swipe', () => {
  const [here, there] = [list(row('A', 0)), list(row('A', 40))]
  expect(computeMovementSignature(here, 'down')).not.toBe(computeMovementSignature(there, 'up'))
  expect(computeMovementSignature(here, 'left')).toBe(computeMovementSignature(there, 'left'))
  expect(computeMovementSignature(here, 'right')).not.toBe(computeMovementSignature(list(row('A', 0, 40)), 'right'))
})

test('rows that stop where others were count as moved, a changing clock does not', () => {
  const before = list(row('A', 0), row('B', 100))
  expect(computeMovementSignature(list(row('B', 0), row('C', 100)), 'down')).not.toBe(
    computeMovementSignature(before, 'down'),
  )
  expect(computeMovementSignature(list(row('9:59', 0)), 'down')).toBe(
    computeMovementSignature(list(row('10:00', 0)), 'down'),
  )
})

const tree = screen(
  node(
    {},
    node({ 'resource-id': 'a:id/box' }, node({ 'resource-id': 'a:id/inner', scrollable: 'true' })),
    node({ 'resource-id': 'a:id/plain' }),
    node({ 'resource-id': 'a:id/other', scrollable: 'true' }),
  ),
)

test.each([
  [{ findFirstScrollableChild: true }, 'a:id/inner'],
  [{ container: { resourceId: 'a:id/other' }, findFirstScrollableChild: true }, 'a:id/other'],
  [{ container: { resourceId: 'a:id/box' }, findFirstScrollableChild: true }, 'a:id/inner'],
  [{ container: { resourceId: 'a:id/box' }, findFirstScrollableChild: false }, 'CONTAINER_NOT_SCROLLABLE'],
  [{ container: { resourceId: 'a:id/plain' }, findFirstScrollableChild: true }, 'CONTAINER_NOT_SCROLLABLE'],
  [{ container: { resourceId: 'a:id/gone' }, findFirstScrollableChild: true }, 'CONTAINER_NOT_FOUND'],
  [{ container: { scrollable: true }, findFirstScrollableChild: true, strict: true }, 'CONTAINER_AMBIGUOUS'],
])('%j scrolls %s', (request, expected) => {
  const found = resolveScrollContainer(tree, request)
  expect(found.kind === 'found' ? found.node.attributes['resource-id'] : found.error).toBe(expected)
})

test('a screen without a scrollable node has no container', () => {
  expect(resolveScrollContainer(screen(node()), { findFirstScrollableChild: true })).toEqual({
    kind: 'failed',
    error: 'CONTAINER_NOT_FOUND',
  })
})
