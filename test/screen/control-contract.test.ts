import { expect, test } from 'vitest'
import { RETRY_PRESETS } from '@apprentice/contracts/devices/action.ts'
import { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import { accepted, payload, refused, refusedAction } from './payload-builder.ts'

const matcher = { textEquals: 'Save' }
const TARGET_MESSAGE = 'adjust_until requires either params.target or params.targetText'
const DIRECTION_MESSAGE = 'adjust_until requires at least one of params.increase, params.decrease or params.slider'
const PRESENT_MESSAGE = 'expect params.present=false takes no other expectation'

test.each([
  ['set_checked', { checked: true }, 'set_checked requires params.matcher', '.matcher'],
  ['set_checked', { matcher }, 'set_checked requires params.checked', '.checked'],
  ['adjust_until', { target: 1, slider: matcher }, 'adjust_until requires params.value', '.value'],
  ['adjust_until', { value: matcher, slider: matcher }, TARGET_MESSAGE, '.target'],
  ['adjust_until', { value: matcher, slider: matcher, target: 1, targetText: 'May' }, TARGET_MESSAGE, '.target'],
  ['adjust_until', { value: matcher, target: 1 }, DIRECTION_MESSAGE, ''],
  ['expect', {}, 'expect requires params.matcher', '.matcher'],
  ['expect', { matcher, present: false, checked: true }, PRESENT_MESSAGE, '.present'],
  ['expect', { matcher, text: {} }, 'expect params.text requires equals, contains or matches', '.text'],
  [
    'expect',
    { matcher, text: { matches: '(' } },
    'expect params.text.matches is not a valid regex pattern: it has a ( without a )',
    '.text.matches',
  ],
])('%s with %j is refused: %s', (type, params, message, path) => {
  expect(refusedAction({ type, params })).toMatchObject({
    message,
    path: `actions.0.params${path}`,
  })
})

test.each([
  ['adjust_until', { value: matcher, slider: matcher, target: 1, tolerance: -1 }, 'tolerance'],
  ['adjust_until', { value: matcher, slider: matcher, target: '5' }, 'target'],
  ['adjust_until', { value: matcher, slider: matcher, target: 1, maxAdjustments: 0 }, 'maxAdjustments'],
  ['expect', { matcher, stableReads: 0 }, 'stableReads'],
  ['expect', { matcher, timeoutMs: 120_001 }, 'timeoutMs'],
  ['expect', { matcher, number: { equals: 'x' } }, 'number.equals'],
])('%s with %j is out of range at %s', (type, params, key) => {
  expect(refusedAction({ type, params }).path).toBe(`actions.0.params.${key}`)
})

test('defaults of the control actions', () => {
  const retry = RETRY_PRESETS.UiReadiness
  expect(accepted({ type: 'set_checked', params: { matcher, checked: false } }).params).toEqual({
    matcher,
    checked: false,
    strict: true,
    retry,
  })
  const adjust = { value: matcher, target: 2, increase: matcher }
  expect(accepted({ type: 'adjust_until', params: adjust }).params).toEqual({
    ...adjust,
    tolerance: 0,
    strict: true,
    maxAdjustments: 60,
    retry,
  })
  expect(accepted({ type: 'expect', params: { matcher, number: { equals: 1 } } }).params).toEqual({
    matcher,
    strict: false,
    present: true,
    number: { equals: 1, tolerance: 0 },
    timeoutMs: 5000,
    stableReads: 2,
  })
})

test('matchers are converted to canonical form in every position', () => {
  const loose = { id: 'a', fallbacks: [{ text: 'b', within_not: undefined }] }
  expect(refusedAction({ type: 'click', params: { matcher: loose } }).invalidKeys).toEqual(['within_not'])
  const matcherInput = { text: 'b', containing: { content_desc: 'c' } }
  const exact = { textEquals: 'b', containing: { contentDescEquals: 'c' } }
  const action = accepted({
    type: 'adjust_until',
    when: matcherInput,
    unless: matcherInput,
    params: {
      value: matcherInput,
      target: 1,
      increase: { ...matcherInput, fallbacks: [matcherInput] },
      decrease: matcherInput,
      slider: { text: 'd', container: matcherInput },
      container: matcherInput,
    },
  })
  expect(action).toMatchObject({
    when: exact,
    unless: exact,
    params: {
      value: exact,
      increase: { ...exact, fallbacks: [exact] },
      decrease: exact,
      slider: { textEquals: 'd', container: exact },
      container: exact,
    },
  })
  const normalized = normalizeExecution({ ...payload(action), dismissals: [matcherInput] })
  expect(normalized).toMatchObject({ ok: true, execution: { dismissals: [exact] } })
})

test.each([
  [{ containing: matcher }],
  [{ ...matcher, containing: {} }],
  [{ ...matcher, containing: { ...matcher, containing: matcher } }],
  [{ ...matcher, fallbacks: [{}] }],
  [{ ...matcher, fallbacks: [{ ...matcher, fallbacks: [matcher] }] }],
  [{ ...matcher, fallbacks: Array.from({ length: 6 }, () => matcher) }],
])('the matcher %j is refused', (matcherInput) => {
  expect(NodeMatcher.safeParse(matcherInput).success).toBe(false)
})

test('an execution has at most ten dismissals, and they are matchers', () => {
  const click = { id: 'a', type: 'click', params: { matcher } }
  const many = Array.from({ length: 11 }, () => matcher)
  expect(refused({ ...payload(click), dismissals: many }).path).toBe('dismissals')
  expect(refused({ ...payload(click), dismissals: [{}] }).path).toBe('dismissals.0')
})

test('a payload without control features is unchanged', () => {
  const plain = normalizeExecution(payload({ id: 'a', type: 'click', params: { matcher } }))
  if (!plain.ok) throw new Error(plain.failure.reason)
  expect(plain.execution).not.toHaveProperty('dismissals')
  const [action] = plain.execution.actions
  expect(Object.keys(action ?? {})).toEqual(['id', 'type', 'params'])
  for (const type of ['scroll_until', 'scroll_and_click']) {
    expect(accepted({ type, params: { matcher } }).params).not.toHaveProperty('bothWays')
  }
})
