import { expect, test } from 'vitest'
import { ACTION_TYPES, RETRY_PRESETS } from '@apprentice/contracts/devices/action.ts'
import { accepted, refusedAction } from './payload-builder.ts'

const matcher = { textEquals: 'Save' }

test('there are eighteen common action types and seven extensions', () => {
  const ours = [
    'swipe',
    'press_edit_key',
    'set_orientation',
    'set_checked',
    'adjust_until',
    'pick_date',
    'expect',
  ] as const
  expect(ACTION_TYPES).toEqual(expect.arrayContaining([...ours]))
  expect(ACTION_TYPES.filter((type) => !ours.some((own) => own === type))).toHaveLength(18)
})

test.each([
  ['open_url', 'open_uri', { uri: 'x:y' }],
  ['tap', 'click', { matcher }],
  ['press', 'click', { matcher }],
  ['wait_for', 'wait_for_node', { matcher }],
  ['find', 'wait_for_node', { matcher }],
  ['find_node', 'wait_for_node', { matcher }],
  ['read', 'read_text', { matcher }],
  ['snapshot', 'snapshot_ui', undefined],
  ['screenshot', 'take_screenshot', undefined],
  ['capture_screenshot', 'take_screenshot', undefined],
  ['type_text', 'enter_text', { matcher, text: 'a' }],
  ['text_entry', 'enter_text', { matcher, text: 'a' }],
  ['input_text', 'enter_text', { matcher, text: 'a' }],
  ['key_press', 'press_key', { key: 'back' }],
  ['  CLICK ', 'click', { matcher }],
])('type %j is read as %s', (alias, type, params) => {
  expect(accepted({ type: alias, ...(params && { params }) }).type).toBe(type)
})

test.each([
  ['open_app', {}, 'open_app requires params.applicationId', 'applicationId'],
  ['open_app', { applicationId: '  ' }, 'open_app requires params.applicationId', 'applicationId'],
  ['close_app', undefined, 'close_app requires params.applicationId', 'applicationId'],
  ['open_uri', {}, 'open_uri requires params.uri', 'uri'],
  ['open_uri', { uri: ' ' }, 'open_uri requires params.uri', 'uri'],
  ['sleep', {}, 'sleep requires params.durationMs >= 0', 'durationMs'],
  ['sleep', { durationMs: -1 }, 'sleep requires params.durationMs >= 0', 'durationMs'],
  ['sleep', { durationMs: 120_001 }, 'sleep.durationMs must not exceed 120000 ms', 'durationMs'],
  ['click', {}, 'click requires params.matcher or params.coordinate', ''],
  ['click', undefined, 'click requires params.matcher or params.coordinate', ''],
  [
    'click',
    { matcher, coordinate: { x: 1, y: 1 } },
    'click params.matcher and params.coordinate are mutually exclusive',
    '',
  ],
  [
    'click',
    { coordinate: { x: 1, y: 1 }, clickType: 'focus' },
    "click params.coordinate does not support clickType='focus'",
    '',
  ],
  ['wait_for_node', {}, 'wait_for_node requires params.matcher', 'matcher'],
  ['read_text', {}, 'read_text requires params.matcher', 'matcher'],
  ['enter_text', { text: 'a' }, 'enter_text requires params.matcher', 'matcher'],
  ['scroll_and_click', {}, 'scroll_and_click requires params.matcher', 'matcher'],
  ['enter_text', { matcher }, 'enter_text requires non-empty params.text', 'text'],
  ['enter_text', { matcher, text: '' }, 'enter_text requires non-empty params.text', 'text'],
  [
    'read_text',
    { matcher, validator: 'regex' },
    "read_text with validator='regex' requires params.validatorPattern",
    'validatorPattern',
  ],
  [
    'read_text',
    { matcher, validator: 'regex', validatorPattern: '(' },
    'read_text params.validatorPattern is not a valid regex pattern: it has a ( without a )',
    'validatorPattern',
  ],
  ['scroll', { direction: 'sideways' }, 'scroll params.direction must be one of: down, up, left, right', 'direction'],
  [
    'scroll_until',
    { direction: 'in' },
    'scroll_until params.direction must be one of: down, up, left, right',
    'direction',
  ],
  ['scroll', { distanceRatio: 1.1 }, 'scroll params.distanceRatio must be in [0.0, 1.0]', 'distanceRatio'],
  [
    'scroll_until',
    { settleDelayMs: 10_001 },
    'scroll_until params.settleDelayMs must be in [0, 10000]',
    'settleDelayMs',
  ],
  ['scroll_until', { maxScrolls: 1.5 }, 'scroll_until params.maxScrolls must be an integer in [1, 200]', 'maxScrolls'],
  ['scroll_until', { maxScrolls: 0 }, 'scroll_until params.maxScrolls must be an integer in [1, 200]', 'maxScrolls'],
  [
    'scroll_until',
    { maxDurationMs: 120_001 },
    'scroll_until params.maxDurationMs must be in [0, 120000]',
    'maxDurationMs',
  ],
  [
    'scroll_until',
    { noPositionChangeThreshold: 21 },
    'scroll_until params.noPositionChangeThreshold must be an integer in [1, 20]',
    'noPositionChangeThreshold',
  ],
  ['scroll_until', { clickAfter: true }, 'scroll_until params.clickAfter=true requires params.matcher', 'matcher'],
  ['press_key', {}, 'press_key requires params.key', 'key'],
  ['press_key', { key: '  ' }, 'press_key requires params.key', 'key'],
  ['press_key', { key: 'menu' }, 'press_key params.key must be one of: back, home, recents', 'key'],
  ['take_screenshot', { path: ' ' }, 'take_screenshot params.path must be a non-empty string', 'path'],
  [
    'wait_for_navigation',
    { timeoutMs: 100 },
    'wait_for_navigation requires at least one of params.expectedPackage or params.expectedNode',
    '',
  ],
  ['wait_for_navigation', { expectedPackage: 'a.b' }, 'wait_for_navigation requires params.timeoutMs > 0', 'timeoutMs'],
  [
    'wait_for_navigation',
    { expectedPackage: 'a.b', timeoutMs: 0 },
    'wait_for_navigation requires params.timeoutMs > 0',
    'timeoutMs',
  ],
  [
    'wait_for_navigation',
    { expectedPackage: 'a.b', timeoutMs: 30_001 },
    'wait_for_navigation params.timeoutMs must not exceed 30000',
    'timeoutMs',
  ],
  ['read_key_value_pair', {}, 'read_key_value_pair requires params.labelMatcher', 'labelMatcher'],
  ['start_recording', { sessionId: ' ' }, 'start_recording params.sessionId must not be blank', 'sessionId'],
  ['stop_recording', { sessionId: '' }, 'stop_recording params.sessionId must not be blank', 'sessionId'],
  ['click', { matcher: {} }, 'Matcher must have at least one field', 'matcher'],
  ['click', { matcher: { role: '' } }, 'Matcher must have at least one field', 'matcher'],
  ['click', { matcher: { index: 1 } }, 'Matcher must have at least one field', 'matcher'],
])('%s with %j: %s', (type, params, message, key) => {
  const failure = refusedAction({ type, ...(params && { params }) })
  expect(failure.message).toBe(message)
  expect(failure.path).toBe(['actions.0.params', key].filter((part) => part !== '').join('.'))
  expect(failure).toMatchObject({ actionId: 'a1', actionType: type })
})

test.each([
  ['click', { matcher, clickType: 'double' }, 'clickType'],
  ['click', { coordinate: { x: -1, y: 0 } }, 'coordinate.x'],
  ['click', { coordinate: { x: 1.5, y: 0 } }, 'coordinate.x'],
  ['read_text', { matcher, validator: 'email' }, 'validator'],
  ['open_uri', { uri: 'x'.repeat(2049) }, 'uri'],
  ['enter_text', { matcher, text: 'x'.repeat(4001) }, 'text'],
  ['click', { matcher: { textEquals: 'x'.repeat(4001) } }, 'matcher.textEquals'],
  ['wait_for_node', { matcher, timeoutMs: 0 }, 'timeoutMs'],
  ['start_recording', { sessionId: '../x' }, 'sessionId'],
  ['click', { matcher, retry: { maxAttempts: 11 } }, 'retry.maxAttempts'],
  ['click', { matcher, retry: { maxAttempts: 0 } }, 'retry.maxAttempts'],
  ['click', { matcher, retry: { initialDelayMs: 30_001 } }, 'retry.initialDelayMs'],
  ['click', { matcher, retry: { initialDelayMs: 10, maxDelayMs: 9 } }, 'retry.maxDelayMs'],
  ['click', { matcher, retry: { backoffMultiplier: 5.1 } }, 'retry.backoffMultiplier'],
  ['click', { matcher, retry: { jitterRatio: 2 } }, 'retry.jitterRatio'],
  ['click', { matcher, retry: { tries: 2 } }, 'retry'],
])('%s with %j is out of range at %s', (type, params, key) => {
  expect(refusedAction({ type, params }).path).toBe(`actions.0.params.${key}`)
})

test('defaults are applied, retries from the preset of the type', () => {
  expect(accepted({ type: 'scroll' }).params).toEqual({
    direction: 'down',
    distanceRatio: 0.7,
    settleDelayMs: 250,
    findFirstScrollableChild: true,
    retry: RETRY_PRESETS.None,
  })
  expect(accepted({ type: 'scroll_until' }).params).toEqual({
    direction: 'down',
    distanceRatio: 0.7,
    settleDelayMs: 250,
    findFirstScrollableChild: true,
    strict: false,
    clickAfter: false,
    clickType: 'click',
    maxScrolls: 20,
    maxDurationMs: 10_000,
    noPositionChangeThreshold: 3,
    retry: RETRY_PRESETS.None,
  })
  expect(accepted({ type: 'scroll_and_click', params: { matcher } }).params).toMatchObject({
    maxSwipes: 10,
    clickAfter: true,
    scrollRetry: RETRY_PRESETS.UiScroll,
    clickRetry: RETRY_PRESETS.UiReadiness,
  })
  expect(accepted({ type: 'enter_text', params: { matcher, text: 'a' } }).params).toMatchObject({
    intoFocus: false,
    submit: false,
    clear: false,
    retry: RETRY_PRESETS.UiReadiness,
  })
  expect(accepted({ type: 'open_app', params: { app: 'a.b' } }).params).toEqual({
    applicationId: 'a.b',
    retry: RETRY_PRESETS.AppLaunch,
  })
})

test.each([
  [0, 1],
  [51, 50],
  [7, 7],
])('%i swipes are clamped to %i', (given, used) => {
  const action = accepted({ type: 'scroll_and_click', params: { matcher, maxSwipes: given } })
  expect(action.params).toMatchObject({ maxSwipes: used })
})

test('a partial retry takes its own defaults, not those of the preset', () => {
  const action = accepted({
    type: 'click',
    params: { matcher, retry: { max_attempts: 3, initialDelayMs: 40 } },
  })
  expect(action.params).toMatchObject({
    retry: {
      maxAttempts: 3,
      initialDelayMs: 40,
      maxDelayMs: 40,
      backoffMultiplier: 1,
      jitterRatio: 0,
    },
  })
})

test.each([
  [{ click_retry: { maxAttempts: 6 } }, 2, 6],
  [{ scrollRetry: { maxAttempts: 6 } }, 6, 2],
  [{}, 2, 2],
])('one retry of scroll_and_click beside %j stands for what is not given', (more, scroll, click) => {
  const params = { matcher, retry: { maxAttempts: 2 }, ...more }
  expect(accepted({ type: 'scroll_and_click', params }).params).toMatchObject({
    scrollRetry: { maxAttempts: scroll },
    clickRetry: { maxAttempts: click },
  })
})

test.each(['package', 'package_id', 'packageId', 'app', 'app_id', 'appId', 'application_id'])(
  'the application may be named by %s',
  (key) => {
    expect(accepted({ type: 'open_app', params: { [key]: 'a.b' } }).params).toMatchObject({
      applicationId: 'a.b',
    })
  },
)

test.each([
  [{ app: 'wrong', applicationId: 'right' }],
  [{ applicationId: 'right', app: 'wrong' }],
  [{ app: 'right', package: 'wrong' }],
])('of %j the canonical key wins, then the first alias', (params) => {
  const action = accepted({ type: 'open_app', params })
  expect(action.params).toMatchObject({ applicationId: 'right' })
  expect(Object.keys(action.params).toSorted()).toEqual(['applicationId', 'retry'])
})

test('parameter aliases are converted to their canonical names', () => {
  expect(
    accepted({
      type: 'wait_for_navigation',
      params: { timeout_ms: 5, wait_for: { text: 'Hi' }, expected_package: 'a' },
    }).params,
  ).toMatchObject({ timeoutMs: 5, expectedNode: { textEquals: 'Hi' }, expectedPackage: 'a' })
  expect(
    accepted({
      type: 'enter_text',
      params: { selector: matcher, value: 'v', within: { id: 'list' } },
    }).params,
  ).toMatchObject({ matcher, text: 'v', container: { resourceId: 'list' } })
  expect(accepted({ type: 'read_key_value_pair', params: { label_selector: { text: 'L' } } }).params).toMatchObject({
    labelMatcher: { textEquals: 'L' },
  })
  expect(accepted({ type: 'screenshot', params: { output_path: 'p' } }).params).toMatchObject({
    path: 'p',
  })
  expect(accepted({ type: 'open_url', params: { url: 'u:v' } }).params).toMatchObject({
    uri: 'u:v',
  })
})

test.each([
  [{ longPress: true }, 'long_click'],
  [{ long_press: false }, 'click'],
  [{ longPress: true, clickType: 'focus' }, 'focus'],
  [{ click_type: 'LongClick' }, 'long_click'],
  [{ clickType: 'default' }, 'click'],
])('a click with %j is a %s', (params, clickType) => {
  expect(accepted({ type: 'click', params: { matcher, ...params } }).params).toMatchObject({
    clickType,
  })
})

test('matcher aliases and groups are converted to their canonical names', () => {
  const action = accepted({
    type: 'click',
    params: {
      matcher: {
        id: 'a:id/b',
        text_contains: 'x',
        description: 'd',
        long_clickable: true,
        index_in_parent: 2,
        any_of: [{ text: 'A' }, { all_of: [{ content_desc_contains: 'B' }] }],
        container: { class_name: 'C' },
        strict: true,
        index: 1,
      },
    },
  })
  expect(action.params).toMatchObject({
    matcher: {
      resourceId: 'a:id/b',
      textContains: 'x',
      contentDescEquals: 'd',
      longClickable: true,
      indexInParent: 2,
      anyOf: [{ textEquals: 'A' }, { allOf: [{ contentDescContains: 'B' }] }],
      container: { class: 'C' },
      strict: true,
      index: 1,
    },
  })
})

test('groups nest at most three levels', () => {
  const nested = (levels: number): unknown => (levels === 0 ? { text: 'x' } : { any_of: [nested(levels - 1)] })
  expect(accepted({ type: 'click', params: { matcher: nested(3) } }).type).toBe('click')
  expect(refusedAction({ type: 'click', params: { matcher: nested(4) } }).invalidKeys).toEqual(['anyOf'])
  expect(refusedAction({ type: 'click', params: { matcher: nested(5000) } }).invalidKeys).toEqual(['anyOf'])
})
