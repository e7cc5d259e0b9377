import { expect, test } from 'vitest'
import { RETRY_PRESETS } from '@apprentice/contracts/devices/action.ts'
import { accepted, refusedAction } from './payload-builder.ts'

const matcher = { textEquals: 'Save' }
const [from, to] = [
  { x: 1, y: 2 },
  { x: 3, y: 4 },
]
const FOCUS_MESSAGE = 'enter_text params.intoFocus=true takes no params.matcher or params.container'
const DURATION_MESSAGE = 'swipe params.durationMs must be an integer in [50, 5000]'

test.each([
  ['swipe', { to }, 'swipe requires params.from', 'from'],
  ['swipe', { from }, 'swipe requires params.to', 'to'],
  ['swipe', { from, to, durationMs: 49 }, DURATION_MESSAGE, 'durationMs'],
  ['swipe', { from, to, durationMs: 5001 }, DURATION_MESSAGE, 'durationMs'],
  ['swipe', { from, to, durationMs: 60.5 }, DURATION_MESSAGE, 'durationMs'],
  ['swipe', { direction: 'left' }, 'swipe requires params.matcher', 'matcher'],
  ['enter_text', { text: 'a', intoFocus: false }, 'enter_text requires params.matcher', 'matcher'],
  ['enter_text', { intoFocus: true }, 'enter_text requires non-empty params.text', 'text'],
  ['enter_text', { text: 'a', intoFocus: true, matcher }, FOCUS_MESSAGE, 'intoFocus'],
  ['enter_text', { text: 'a', intoFocus: true, container: matcher }, FOCUS_MESSAGE, 'intoFocus'],
])('%s with %j is refused: %s', (type, params, message, key) => {
  const path = `actions.0.params.${key}`
  expect(refusedAction({ type, params })).toMatchObject({ message, path })
})

test.each([
  [{ from: { x: -1, y: 0 }, to }, 'from.x'],
  [{ from, to: { x: 1, y: 1.5 } }, 'to.y'],
  [{ from: { x: 1 }, to }, 'from.y'],
])('a swipe with %j is out of range at %s', (params, key) => {
  expect(refusedAction({ type: 'swipe', params }).path).toBe(`actions.0.params.${key}`)
})

test('a swipe that ends at its start is refused', () => {
  expect(refusedAction({ type: 'swipe', params: { from, to: from } })).toMatchObject({
    message: 'swipe params.from and params.to must be different points',
    path: 'actions.0.params',
  })
})

test.each([
  [{ matcher, from, to }, 'swipe params.matcher takes no params.from and params.to'],
  [{ matcher }, 'swipe params.matcher requires either params.direction or params.onto'],
  [
    { matcher, direction: 'left', onto: matcher },
    'swipe params.matcher requires either params.direction or params.onto',
  ],
])('a swipe of a node with %j is refused: %s', (params, message) => {
  expect(refusedAction({ type: 'swipe', params })).toMatchObject({ message, path: 'actions.0.params' })
})

test('a swipe of a node has a direction or a goal', () => {
  const across = accepted({
    type: 'swipe',
    params: { matcher: { text: 'Save' }, direction: 'LEFT', distance_ratio: 0.4 },
  })
  expect(across.params).toMatchObject({ matcher, direction: 'left', distanceRatio: 0.4 })
  const drag = accepted({ type: 'swipe', params: { matcher, onto: { text: 'Save' } } })
  expect(drag.params).toMatchObject({ onto: matcher })
})

test('a swipe takes 300 ms by default and is not retried', () => {
  const retry = RETRY_PRESETS.None
  const { params } = accepted({ type: 'swipe', params: { from, to } })
  expect(params).toEqual({ from, to, durationMs: 300, retry })
})

test('start and end are aliases of from and to', () => {
  const { params } = accepted({ type: 'swipe', params: { start: from, end: to, duration_ms: 50 } })
  expect(params).toMatchObject({ from, to, durationMs: 50 })
})

test('intoFocus is false by default', () => {
  const asked = accepted({ type: 'enter_text', params: { into_focus: true, value: 'v' } })
  expect(asked.params).toMatchObject({ intoFocus: true, text: 'v' })
  expect(asked.params).not.toHaveProperty('matcher')
  const aimed = accepted({ type: 'enter_text', params: { matcher, text: 'v' } })
  expect(aimed.params).toMatchObject({ intoFocus: false, matcher })
})

test.each([null, 'text', 5])('an enter_text whose parameters are %j is refused', (params) => {
  expect(refusedAction({ type: 'enter_text', params }).path).toBe('actions.0.params')
})

test('an enter_text without matcher and text reports both', () => {
  const { reason } = refusedAction({ type: 'enter_text' })
  expect(reason).toContain('enter_text requires params.matcher')
  expect(reason).toContain('enter_text requires non-empty params.text')
})
