import { expect, test } from 'vitest'
import { hitTestCases, type HitCase } from './hit-cases.ts'
import { findNodeAt, findScrollableAt, findTouchTarget } from '../../../src/screen/hit-test.ts'
import { findNavigationButton, findNavigationSwipe } from '../../../src/devices/touch/navigation.ts'
import { readStroke, rotateSize, toScreen } from '../../../src/devices/touch/person-input.ts'
import type { Stroke } from '../../../src/devices/touch/panel-decoder.ts'
import { attribute } from '../../../src/screen/tree/hierarchy.ts'
import { node, screen } from '../../screen/tree-builder.ts'

const DISPLAY = { width: 1000, height: 2000, rotation: 0, slopPx: 24 }

const stroke = (path: Stroke['path'], heldMs = 80, fingers = 1): Stroke => ({
  kind: 'stroke',
  path,
  fingers,
  startedUs: 0,
  endedUs: heldMs * 1000,
})

test.each([
  [0, { x: 100, y: 400 }],
  [1, { x: 400, y: 899 }],
  [2, { x: 899, y: 1599 }],
  [3, { x: 1599, y: 100 }],
])('a point in the upper left of the panel with rotation %i', (rotation, at) => {
  expect(toScreen({ x: 0.1, y: 0.2 }, { ...DISPLAY, rotation })).toEqual(at)
})

test('a rotated display swaps width and height', () => {
  expect(rotateSize({ ...DISPLAY, rotation: 3 })).toEqual({ width: 2000, height: 1000 })
})

test('the last point of the panel is on the screen', () => {
  expect(toScreen({ x: 0.9999, y: 0.9999 }, DISPLAY)).toEqual({ x: 999, y: 1999 })
})

const HERE = { x: 0.5, y: 0.5 }

test.each([
  [stroke([HERE, { x: 0.51, y: 0.5 }]), { kind: 'tap', point: { x: 500, y: 1000 } }],
  [stroke([HERE], 500), { kind: 'long_press', point: { x: 500, y: 1000 } }],
  [stroke([HERE, { x: 0.5, y: 0.1 }]), { kind: 'swipe', from: { x: 500, y: 1000 }, to: { x: 500, y: 200 } }],
  [stroke([HERE, { x: 0.5, y: 0.1 }, HERE]), { kind: 'swipe', from: { x: 500, y: 1000 }, to: { x: 500, y: 1000 } }],
  [stroke([HERE], 80, 2), { kind: 'unclear' }],
  [stroke([]), { kind: 'unclear' }],
])('distance and duration of a stroke decide its kind', (drawn, read) => {
  expect(readStroke(drawn, DISPLAY, 7)).toEqual({ ...read, atMs: 7 })
})

test.each(hitTestCases)('$name', ({ tree, point, target, under }: HitCase) => {
  const id = (found: ReturnType<typeof findTouchTarget>) => found && attribute(found, 'resource-id')
  expect(id(findTouchTarget(tree, point))).toBe(target)
  expect(id(findNodeAt(tree, point))).toBe(under)
})

test('a swipe scrolls the innermost list under it', () => {
  const tree = screen(
    node(
      { 'resource-id': 'outer', scrollable: 'true', bounds: '[0,0][100,1000]' },
      node({ 'resource-id': 'inner', scrollable: 'true', bounds: '[0,100][100,300]' }),
    ),
  )
  const id = (y: number) => {
    const found = findScrollableAt(tree, { x: 50, y })
    return found && attribute(found, 'resource-id')
  }
  expect([id(200), id(500), id(1500)]).toEqual(['inner', 'outer', undefined])
})

const size = { width: 1000, height: 2000 }
const tree = screen(node({ bounds: '[0,0][1000,2000]' }, node({ clickable: 'true', bounds: '[600,1900][800,2000]' })))
const buttons = { gestures: false, backButton: 'left' } as const

test('touches on the navigation bar are navigation keys', () => {
  const at = (x: number, y: number, navigation: { gestures: boolean; backButton: 'left' | 'right' }) =>
    findNavigationButton({ x, y }, { size, tree, navigation })
  expect([100, 500, 900].map((x) => at(x, 1950, buttons))).toEqual(['back', 'home', 'recents'])
  expect(at(900, 1950, { gestures: false, backButton: 'right' })).toBe('back')
  expect(at(100, 1850, buttons)).toBeUndefined()
  expect(at(700, 1950, buttons)).toBeUndefined()
  expect(at(100, 1950, { gestures: true, backButton: 'left' })).toBeUndefined()
})

test('edge swipes are navigation keys only with gesture navigation', () => {
  const gestures = { gestures: true, backButton: 'left' } as const
  const fromLeft = { from: { x: 5, y: 900 }, to: { x: 400, y: 950 } }
  const fromBelow = { from: { x: 500, y: 1990 }, to: { x: 500, y: 900 } }
  const inside = { from: { x: 500, y: 1500 }, to: { x: 500, y: 900 } }
  expect(findNavigationSwipe(fromLeft, size, gestures)).toBe('back')
  expect(findNavigationSwipe(fromBelow, size, gestures)).toBe('home')
  expect(findNavigationSwipe(inside, size, gestures)).toBeUndefined()
  expect(findNavigationSwipe(fromLeft, size, buttons)).toBeUndefined()
})
