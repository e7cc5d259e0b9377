import { expect, test } from 'vitest'
import {
  WaitForIdle,
  WaitForScreenChange,
  WaitForScreenChangeResult,
  WaitForUiChange,
  WaitForUiChangeResult,
} from '@apprentice/contracts/devices/verification.ts'
import { waitForIdle, waitForScreenChange, waitForUiChange } from '../../src/screen/watch/wait-for-change.ts'
import { type ScriptedReading, scriptedWatch } from './scripted-watch.ts'
import { buildTestSnapshot } from './snapshot-builder.ts'
import { type Sketch, node, text } from './tree-builder.ts'

const page = (title: string, checked = 'false', ...more: readonly Sketch[]) =>
  node({}, text(title), node({ class: 'x.Switch', checkable: 'true', checked }), ...more)
const [A, B, C] = [page('A'), page('B'), page('C')]

const screenChange = async (script: readonly ScriptedReading[], from: Sketch, timeout_ms = 5000) => {
  const watch = scriptedWatch(script)
  const previous_fingerprint = buildTestSnapshot(from).fingerprint
  const request = WaitForScreenChange.parse({ previous_fingerprint, timeout_ms })
  const result = await waitForScreenChange(watch, request)
  expect(WaitForScreenChangeResult.parse(result)).toEqual(result)
  return { ...result, readings: watch.readings() }
}

test('a new screen counts once it is stable', async () => {
  const result = await screenChange([A, B, C, C], A)
  const { fingerprint } = buildTestSnapshot(C)
  expect(result).toMatchObject({
    status: 'satisfied',
    new_fingerprint: fingerprint,
    observed_screen: { fingerprint, activity: 'com.example/.MainActivity' },
    readings: 4,
  })
})

test('a screen that returns to the old one did not change', async () => {
  const result = await screenChange([A, B, A, B, A], A, 1200)
  expect(result).toMatchObject({
    status: 'timeout',
    new_fingerprint: null,
    last_fingerprint: buildTestSnapshot(A).fingerprint,
    failure_code: 'TIMEOUT',
  })
})

test('failed readings are neither a change nor stable', async () => {
  expect(await screenChange(['failed'], A, 900)).toMatchObject({
    status: 'unobservable',
    failure_code: 'SCREEN_UNREADABLE',
    last_fingerprint: null,
  })
  expect(await screenChange([B, 'failed', B, B], A)).toMatchObject({
    status: 'satisfied',
    readings: 4,
  })
})

const uiChange = async (
  script: readonly ScriptedReading[],
  before: Sketch | null,
  more: Readonly<Record<string, unknown>> = {},
) => {
  const watch = scriptedWatch(script)
  const baseline = before === null ? null : buildTestSnapshot(before).digests
  const result = await waitForUiChange(watch, WaitForUiChange.parse(more), baseline)
  expect(WaitForUiChangeResult.parse(result)).toEqual(result)
  return { ...result, readings: watch.readings(), slept: watch.slept }
}

test.each([
  ['hierarchy_diff', page('A', 'false', text('New'))],
  ['text_change', page('Z')],
  ['state_change', page('A', 'true')],
])('a %s is reported as such', async (change, after) => {
  expect(await uiChange([A, after, after], A)).toMatchObject({
    status: 'satisfied',
    observed_change: change,
    readings: 3,
  })
})

test('a change before the wait is detected with an earlier baseline', async () => {
  expect(await uiChange([B], A)).toMatchObject({ status: 'satisfied', readings: 2 })
  expect(await uiChange([B], null, { timeout_ms: 900 })).toMatchObject({ status: 'timeout' })
})

test('only the expected kind of change counts', async () => {
  const toggled = page('A', 'true')
  const brief = { timeout_ms: 900 }
  expect(await uiChange([toggled], A, { ...brief, expected_change: 'text_change' })).toMatchObject({
    status: 'timeout',
    observed_change: null,
  })
  expect(await uiChange([toggled], A, { ...brief, expected_change: 'state_change' })).toMatchObject({
    status: 'satisfied',
  })
})

test('a changed number is a change, the clock is not', async () => {
  const brief = { timeout_ms: 900 }
  expect((await uiChange([page('4')], page('3'), brief)).observed_change).toBe('text_change')
  expect((await uiChange([page('9:01')], page('9:00'), brief)).status).toBe('timeout')
})

test('failed dumps after a good baseline are not a change', async () => {
  expect(await uiChange([A, 'failed'], null, { timeout_ms: 2000 })).toMatchObject({
    status: 'timeout',
    observed_change: null,
  })
})

test('the confirming reading waits for the stability window, and must agree', async () => {
  const result = await uiChange([A, B, C, C], A, { stability_window_ms: 777 })
  expect(result).toMatchObject({ status: 'satisfied', snapshot_revision: 3, readings: 4 })
  expect(result.slept).toEqual([300, 777, 777])
})

test('a flicker is not a change', async () => {
  expect(await uiChange([A, B, A, B, A], A, { timeout_ms: 1200 })).toMatchObject({
    status: 'timeout',
  })
})

test('idle needs equal readings over the stability time', async () => {
  const watch = scriptedWatch([A, B, C])
  const result = await waitForIdle(watch, WaitForIdle.parse({ stability_ms: 700 }))
  expect(result.status).toBe('satisfied')
  expect(watch.readings()).toBe(6)
  const restless = scriptedWatch(Array.from({ length: 50 }, (_, at) => page(`T${at}x`)))
  expect(await waitForIdle(restless, WaitForIdle.parse({ timeout_ms: 3000 }))).toMatchObject({
    status: 'timeout',
  })
})
