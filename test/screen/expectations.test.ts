import { expect, test } from 'vitest'
import {
  ExpectElementVisible,
  ExpectElementVisibleResult,
  ExpectScreen,
  ExpectScreenResult,
  ExpectState,
  ExpectStateResult,
} from '@apprentice/contracts/devices/verification.ts'
import { expectElementVisible, expectState } from '../../src/screen/watch/expect-element.ts'
import { expectScreen } from '../../src/screen/watch/expect-screen.ts'
import { buildElementRef } from '../../src/screen/element-ref.ts'
import { type ScriptedReading, scriptedWatch } from './scripted-watch.ts'
import { buildTestSnapshot } from './snapshot-builder.ts'
import { node, text } from './tree-builder.ts'

const toggle = (checked: string, more: Readonly<Record<string, string>> = {}) =>
  node(
    {},
    node({
      class: 'x.Switch',
      text: 'Wi-Fi',
      checkable: 'true',
      checked,
      'resource-id': 'a:id/w',
      ...more,
    }),
  )
const [OFF, ON] = [toggle('false'), toggle('true')]
const wifi = { matcher: { resourceId: 'a:id/w' } }

const screenIs = async (script: readonly ScriptedReading[], request: Readonly<Record<string, unknown>>) => {
  const watch = scriptedWatch(script)
  const result = await expectScreen(watch, ExpectScreen.parse(request))
  expect(ExpectScreenResult.parse(result)).toEqual(result)
  return { ...result, readings: watch.readings() }
}

test.each([
  [{ screen: 'com.example/.MainActivity' }, 'screen', true],
  [{ screen: 'MainActivity' }, 'screen', true],
  [{ screen: 'Main' }, 'screen', false],
  [{ fingerprint: buildTestSnapshot(OFF).fingerprint }, 'fingerprint', true],
  [{ fingerprint: 'x', screen: 'MainActivity' }, 'fingerprint', false],
  [{ screen_id: buildTestSnapshot(OFF).screen_id }, 'screen_id', true],
])('expecting %j compares the %s: %s', async (request, basis, matched) => {
  const result = await screenIs([OFF], request)
  expect(result).toMatchObject({
    success: matched,
    evaluated: true,
    comparison: { basis, matched },
    confidence: matched ? 1 : 0,
    readings: 1,
  })
  expect(result.failure_code).toBe(matched ? undefined : 'VERIFICATION_FAILED')
})

test('an unreadable screen is not evaluated', async () => {
  expect(await screenIs(['failed', 'stale', OFF], { screen: 'MainActivity' })).toMatchObject({
    success: true,
    readings: 3,
  })
  expect(await screenIs(['failed'], { screen: 'MainActivity' })).toMatchObject({
    success: false,
    evaluated: false,
    failure_code: 'SCREEN_UNREADABLE',
    observed_screen: { fingerprint: null },
  })
  expect(ExpectScreen.safeParse({}).success).toBe(false)
})

const visible = async (script: readonly ScriptedReading[], request: Readonly<Record<string, unknown>>) => {
  const result = await expectElementVisible(
    scriptedWatch(script),
    ExpectElementVisible.parse({ timeout_ms: 900, ...request }),
  )
  expect(ExpectElementVisibleResult.parse(result)).toEqual(result)
  return result
}

test('an expected element is found, missing, or not evaluated', async () => {
  expect(await visible([OFF], wifi)).toMatchObject({
    success: true,
    evaluated: true,
    element: { label: 'Wi-Fi' },
  })
  expect(await visible([node()], wifi)).toMatchObject({
    success: false,
    evaluated: true,
    failure_code: 'ELEMENT_NOT_FOUND',
    retryable: true,
  })
  expect(await visible(['failed'], wifi)).toMatchObject({
    success: false,
    evaluated: false,
    failure_code: 'SCREEN_UNREADABLE',
  })
  expect(ExpectElementVisible.safeParse({ selector: {} }).success).toBe(false)
})

const state = async (script: readonly ScriptedReading[], request: Readonly<Record<string, unknown>>, read_ms = 10) => {
  const watch = scriptedWatch(script, { read_ms })
  const result = await expectState(watch, ExpectState.parse({ ...wifi, ...request }))
  expect(ExpectStateResult.parse(result)).toEqual(result)
  return { ...result, readings: watch.readings() }
}
const on = { property: 'checked', expected: true }

test('a toggle is verified although the fingerprint did not change', async () => {
  expect(buildTestSnapshot(ON).fingerprint).toBe(buildTestSnapshot(OFF).fingerprint)
  expect(await state([OFF, ON, ON], on)).toMatchObject({
    success: true,
    evaluated: true,
    observed: true,
    readings: 3,
  })
})

test('readings slower than the window still decide', async () => {
  expect(await state([ON], on, 1200)).toMatchObject({ success: true, readings: 2 })
  expect(await state([OFF], on, 1200)).toMatchObject({
    success: false,
    failure_code: 'EXPECT_STATE_MISMATCH',
  })
})

test('only good readings count for stable_observation_count', async () => {
  const three = { ...on, stable_observation_count: 3 }
  expect(await state([ON, ON, 'failed', ON, ON, ON], three)).toMatchObject({
    success: true,
    readings: 6,
  })
  expect(await state([ON, OFF], { ...on, stabilization_window_ms: 500 })).toMatchObject({
    success: false,
    failure_code: 'EXPECT_STATE_MISMATCH',
    observed: false,
  })
})

test.each([
  ['a missing element', node(), on, 'ELEMENT_NOT_FOUND', true],
  ['a wrong value', OFF, on, 'EXPECT_STATE_MISMATCH', true],
  ['a state that is not reported', toggle('true', { checkable: 'false' }), on, 'STATE_UNAVAILABLE', false],
  ['another kind of value', ON, { ...on, expected: 'yes' }, 'STATE_UNAVAILABLE', false],
  ['a value that is not reported', ON, { property: 'value', expected: 5 }, 'STATE_UNAVAILABLE', false],
] as const)('%s has its own failure code', async (...[, reading, request, failure_code, retryable]) => {
  const result = await state([reading], request)
  expect(result).toMatchObject({ success: false, failure_code, retryable })
})

test('an unreadable screen is not a state mismatch', async () => {
  expect(await state(['failed'], on)).toMatchObject({
    success: false,
    evaluated: false,
    failure_code: 'SCREEN_UNREADABLE',
    observed: null,
  })
})

const field = (value: string) => node({}, node({ class: 'x.EditText', text: value, 'resource-id': 'a:id/w' }))

test.each([
  ['text_value', 'Ann', field('Ann'), true],
  ['text_value', 'Bob', field('Ann'), false],
  ['text_value', '', field(''), true],
  ['enabled', false, toggle('true', { enabled: 'false' }), true],
  ['focused', true, toggle('true', { focused: 'true' }), true],
  ['selected', false, toggle('true'), true],
  ['selected', true, toggle('true', { selected: 'true' }), true],
  ['selected', 'Wi-Fi', toggle('true', { selected: 'true' }), true],
  ['selected', 'Wi-Fi', toggle('true'), false],
  ['selected', { id: 'a:id/w' }, toggle('true', { selected: 'true' }), true],
  ['selected', { label: 'Other' }, toggle('true', { selected: 'true' }), false],
  ['value', 5, toggle('true', { value: '5' }), true],
  ['value', 5, toggle('true', { value: '6' }), false],
])('%s is %j: %#', async (property, expected, reading, success) => {
  expect((await state([reading], { property, expected })).success).toBe(success)
})

test('a reference finds its element after a move', async () => {
  const before = buildTestSnapshot(OFF)
  const element = before.elements[1]
  if (element === undefined) throw new Error('no toggle')
  const request = { matcher: undefined, ref: buildElementRef(element, before), ...on }
  const moved = node({}, text('Ad'), ...ON.children)
  expect(await state([moved], request)).toMatchObject({
    success: true,
    element: { node_path: '0.1' },
  })
  expect(await state([node()], request)).toMatchObject({ failure_code: 'ELEMENT_NOT_FOUND' })
})
