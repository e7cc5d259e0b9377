import { expect, test } from 'vitest'
import { WaitForUi, WaitForUiResult } from '@apprentice/contracts/devices/verification.ts'
import type { Watch } from '../../src/screen/watch/observation.ts'
import { waitForUi } from '../../src/screen/watch/wait-for-ui.ts'
import { type ScriptedReading, scriptedWatch } from './scripted-watch.ts'
import { node, text } from './tree-builder.ts'

const SAVE = node({}, text('Save'))
const EMPTY = node({}, text('Other'))
const save = { selector: { text: 'save' } }

const wait = async (
  script: readonly ScriptedReading[],
  request: Readonly<Record<string, unknown>>,
  more: Parameters<typeof scriptedWatch>[1] = {},
) => {
  const watch = scriptedWatch(script, more)
  const result = await waitForUi(watch, WaitForUi.parse(request))
  expect(WaitForUiResult.parse(result)).toEqual(result)
  return { ...result, readings: watch.readings(), slept: watch.slept }
}

test('an element counts after two good readings in a row', async () => {
  const result = await wait([EMPTY, SAVE, SAVE], save)
  expect(result).toMatchObject({
    status: 'satisfied',
    matched: true,
    element: { label: 'Save', node_path: '0.0' },
    observed: { matched_count: 1, condition_satisfied: true, selected_index: 0 },
    metrics: { poll_count: 3, good_reads: 3, attempts: 1 },
  })
  expect(result).not.toHaveProperty('failure_code')
})

test('a flicker is not enough', async () => {
  const result = await wait([SAVE, EMPTY, SAVE, EMPTY, SAVE, SAVE], save)
  expect(result).toMatchObject({ status: 'satisfied', readings: 6 })
})

test.each(['failed', 'stale'] as const)('a %s reading between two good ones breaks the row', async (bad) => {
  const result = await wait([SAVE, bad, SAVE, SAVE], save)
  expect(result).toMatchObject({ status: 'satisfied', readings: 4, metrics: { good_reads: 3 } })
})

test('failed readings do not prove an absence', async () => {
  const result = await wait(['failed'], { ...save, condition: 'not_exists', timeout_ms: 1000 })
  expect(result).toMatchObject({
    status: 'unobservable',
    matched: false,
    failure_code: 'SCREEN_UNREADABLE',
    retryable: true,
    metrics: { good_reads: 0 },
  })
  expect(result.reason).toContain('NOT_IDLE')
  const gone = await wait(['failed', EMPTY, EMPTY], { ...save, condition: 'not_exists' })
  expect(gone).toMatchObject({ status: 'satisfied', element: null, readings: 3 })
})

test('a missing element times out with the last observation', async () => {
  const result = await wait([EMPTY], { ...save, timeout_ms: 1000, poll_interval_ms: 300 })
  expect(result).toMatchObject({
    status: 'timeout',
    failure_code: 'ELEMENT_NOT_FOUND',
    observed: { matched_count: 0, condition_satisfied: false, selected_index: null },
  })
  expect(result.metrics.latency_ms).toBeGreaterThanOrEqual(1000)
  expect(result.metrics.latency_ms).toBeLessThan(1100)
})

test('a slow confirmation may exceed the time limit', async () => {
  const result = await wait([SAVE], { ...save, timeout_ms: 1000 }, { read_ms: 1200 })
  expect(result).toMatchObject({ status: 'satisfied', readings: 2 })
})

test('a late failed reading is repeated once before the result is unobservable', async () => {
  const seen = await wait(['failed', SAVE, SAVE], { ...save, timeout_ms: 500 }, { read_ms: 900 })
  expect(seen).toMatchObject({ status: 'satisfied', readings: 3 })
  const blind = await wait(['failed'], { ...save, timeout_ms: 500 }, { read_ms: 900 })
  expect(blind).toMatchObject({ status: 'unobservable', readings: 2 })
})

test('a reading started before the action ended is stale', async () => {
  const result = await wait([SAVE, SAVE, SAVE, SAVE], save, { action_ended_ms: 10_400 })
  expect(result).toMatchObject({ status: 'satisfied', metrics: { stale_reads: 2, good_reads: 2 } })
})

test('exists, visible and clickable are different conditions', async () => {
  const hidden = node({}, text('Save', { bounds: '[0,0][0,0]' }))
  const brief = { ...save, timeout_ms: 100 }
  expect((await wait([hidden], { ...brief, condition: 'exists' })).status).toBe('satisfied')
  expect(await wait([hidden], { ...brief, condition: 'visible' })).toMatchObject({
    status: 'timeout',
  })
  expect((await wait([SAVE], { ...brief, condition: 'visible' })).status).toBe('satisfied')
  expect(await wait([SAVE], { ...brief, condition: 'clickable' })).toMatchObject({
    status: 'timeout',
    failure_code: 'TIMEOUT',
    observed: { matched_count: 1 },
  })
})

test('the row of a label is the clickable element', async () => {
  const row = (enabled: string) =>
    node({}, node({ clickable: 'true', enabled, 'resource-id': 'a:id/row' }, node({}, text('Save'))))
  const clickable = { ...save, condition: 'clickable', timeout_ms: 100 }
  expect(await wait([row('true')], clickable)).toMatchObject({
    status: 'satisfied',
    element: { resource_id: 'a:id/row' },
  })
  expect((await wait([row('false')], clickable)).status).toBe('timeout')
})

test('the smallest control that covers a label is the clickable element', async () => {
  const covered = node(
    {},
    text('Save', { bounds: '[100,100][200,200]' }),
    node({ focusable: 'true', 'resource-id': 'a:id/big', bounds: '[0,0][1000,1000]' }),
    node({ clickable: 'true', 'resource-id': 'a:id/small', bounds: '[90,90][300,300]' }),
  )
  expect(await wait([covered], { ...save, condition: 'clickable' })).toMatchObject({
    element: { resource_id: 'a:id/small' },
  })
})

test('a moving element is not clickable yet', async () => {
  const at = (top: number) =>
    node(
      {},
      node({
        class: 'x.Button',
        clickable: 'true',
        text: 'Save',
        bounds: `[0,${top}][99,${top + 50}]`,
      }),
    )
  const result = await wait([at(0), at(40), at(80), at(80)], { ...save, condition: 'clickable' })
  expect(result).toMatchObject({ status: 'satisfied', readings: 4 })
})

test('an index selects among several, and not_exists works for an index', async () => {
  const two = node({}, text('Save'), text('Save'))
  const second = { ...save, match: { index: 1 } }
  expect(await wait([SAVE, two, two], second)).toMatchObject({
    element: { node_path: '0.1' },
    observed: { matched_count: 2, selected_index: 1 },
  })
  expect(await wait([two, SAVE, SAVE], { ...second, condition: 'not_exists' })).toMatchObject({
    status: 'satisfied',
    readings: 3,
  })
})

test.each([
  [{ text: ' SAVE ' }, true],
  [{ text: 'av' }, false],
  [{ text: 'av', contains: true }, true],
  [{ text: 'save', resource_id: 'other' }, false],
  [{ resource_id: 'A:ID/S' }, true],
  [{ accessibility_id: 'store' }, true],
])('selector %j matches: %s', async (selector, matches) => {
  const screen = node({}, text('Save', { 'resource-id': 'a:id/s', 'content-desc': 'Store' }))
  expect((await wait([screen], { selector, timeout_ms: 100 })).matched).toBe(matches)
})

test('a matcher with a container works like a selector', async () => {
  const screen = node({}, text('Save'), node({ 'resource-id': 'a:id/box' }, text('Save')))
  const matcher = { textEquals: 'Save', container: { resourceId: 'a:id/box' } }
  expect(await wait([screen], { matcher })).toMatchObject({ element: { node_path: '0.1.0' } })
})

test('each attempt has its own time limit and its own count of readings', async () => {
  const result = await wait([EMPTY, SAVE, EMPTY, SAVE, SAVE], {
    ...save,
    timeout_ms: 0,
    poll_interval_ms: 50,
    retry: { max_attempts: 3, backoff_ms: 700 },
  })
  expect(result).toMatchObject({ status: 'satisfied', metrics: { attempts: 3, poll_count: 5 } })
  expect(result.slept.filter((ms) => ms === 700)).toHaveLength(2)
})

test('an abort rejects the wait', async () => {
  const stop = new AbortController()
  const scripted = scriptedWatch([EMPTY], { signal: stop.signal })
  const watch: Watch = {
    ...scripted,
    observe: (signal) => {
      if (scripted.readings() === 2) stop.abort(new Error('cancelled'))
      return scripted.observe(signal)
    },
  }
  await expect(waitForUi(watch, WaitForUi.parse(save))).rejects.toThrow('cancelled')
  expect(scripted.readings()).toBe(3)
})

test('a lost device rejects the wait', async () => {
  const watch = {
    ...scriptedWatch([EMPTY]),
    observe: () => Promise.reject(new Error('device gone')),
  }
  await expect(waitForUi(watch, WaitForUi.parse(save))).rejects.toThrow('device gone')
})

test.each([
  [{}],
  [{ selector: {} }],
  [{ selector: { text: '  ' } }],
  [{ selector: { text: 'a' }, matcher: { textEquals: 'a' } }],
  [{ ...save, condition: 'gone' }],
  [{ ...save, poll_interval_ms: 10 }],
  [{ ...save, timeout: 5 }],
])('the request %j is refused before anything is read', (request) => {
  expect(WaitForUi.safeParse(request).success).toBe(false)
})
