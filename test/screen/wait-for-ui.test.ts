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
  return { ...result, looks: watch.looks(), slept: watch.slept }
}

test('an element counts once two good readings in a row show it', async () => {
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
  expect(result).toMatchObject({ status: 'satisfied', looks: 6 })
})

test.each(['failed', 'stale'] as const)(
  'a %s reading between two good ones breaks the row',
  async (bad) => {
    const result = await wait([SAVE, bad, SAVE, SAVE], save)
    expect(result).toMatchObject({ status: 'satisfied', looks: 4, metrics: { good_reads: 3 } })
  },
)

test('failed readings never show that something is gone', async () => {
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
  expect(gone).toMatchObject({ status: 'satisfied', element: null, looks: 3 })
})

test('what never shows ends in time, and says what was seen last', async () => {
  const result = await wait([EMPTY], { ...save, timeout_ms: 1000, poll_interval_ms: 300 })
  expect(result).toMatchObject({
    status: 'timeout',
    failure_code: 'ELEMENT_NOT_FOUND',
    observed: { matched_count: 0, condition_satisfied: false, selected_index: null },
  })
  expect(result.metrics.latency_ms).toBeGreaterThanOrEqual(1000)
  expect(result.metrics.latency_ms).toBeLessThan(1100)
})

test('slow readings may finish what they began', async () => {
  const result = await wait([SAVE], { ...save, timeout_ms: 1000 }, { read_ms: 1200 })
  expect(result).toMatchObject({ status: 'satisfied', looks: 2 })
})

test('a reading that came late and bad is repeated once before nothing is known', async () => {
  const seen = await wait(['failed', SAVE, SAVE], { ...save, timeout_ms: 500 }, { read_ms: 900 })
  expect(seen).toMatchObject({ status: 'satisfied', looks: 3 })
  const blind = await wait(['failed'], { ...save, timeout_ms: 500 }, { read_ms: 900 })
  expect(blind).toMatchObject({ status: 'unobservable', looks: 2 })
})

test('a reading begun before the action ended is stale', async () => {
  const result = await wait([SAVE, SAVE, SAVE, SAVE], save, { action_ended_ms: 10_400 })
  expect(result).toMatchObject({ status: 'satisfied', metrics: { stale_reads: 2, good_reads: 2 } })
})

test('existing is not being visible, and being visible is not being tappable', async () => {
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

test('the row around a label is what can be tapped', async () => {
  const row = (enabled: string) =>
    node(
      {},
      node({ clickable: 'true', enabled, 'resource-id': 'a:id/row' }, node({}, text('Save'))),
    )
  const clickable = { ...save, condition: 'clickable', timeout_ms: 100 }
  expect(await wait([row('true')], clickable)).toMatchObject({
    status: 'satisfied',
    element: { resource_id: 'a:id/row' },
  })
  expect((await wait([row('false')], clickable)).status).toBe('timeout')
})

test('a control that covers a label can be tapped for it, the smallest first', async () => {
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

test('something still moving is not yet there to be tapped', async () => {
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
  expect(result).toMatchObject({ status: 'satisfied', looks: 4 })
})

test('an index picks among several, and an absent index can be waited for', async () => {
  const two = node({}, text('Save'), text('Save'))
  const second = { ...save, match: { index: 1 } }
  expect(await wait([SAVE, two, two], second)).toMatchObject({
    element: { node_path: '0.1' },
    observed: { matched_count: 2, selected_index: 1 },
  })
  expect(await wait([two, SAVE, SAVE], { ...second, condition: 'not_exists' })).toMatchObject({
    status: 'satisfied',
    looks: 3,
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

test('a matcher and its container serve as well as a selector', async () => {
  const screen = node({}, text('Save'), node({ 'resource-id': 'a:id/box' }, text('Save')))
  const matcher = { textEquals: 'Save', container: { resourceId: 'a:id/box' } }
  expect(await wait([screen], { matcher })).toMatchObject({ element: { node_path: '0.1.0' } })
})

test('each attempt has its own budget and its own row of readings', async () => {
  const result = await wait([EMPTY, SAVE, EMPTY, SAVE, SAVE], {
    ...save,
    timeout_ms: 0,
    poll_interval_ms: 50,
    retry: { max_attempts: 3, backoff_ms: 700 },
  })
  expect(result).toMatchObject({ status: 'satisfied', metrics: { attempts: 3, poll_count: 5 } })
  expect(result.slept.filter((ms) => ms === 700)).toHaveLength(2)
})

test('an abort ends the wait and is not an answer', async () => {
  const stop = new AbortController()
  const scripted = scriptedWatch([EMPTY], { signal: stop.signal })
  const watch: Watch = {
    ...scripted,
    observe: (signal) => {
      if (scripted.looks() === 2) stop.abort(new Error('cancelled'))
      return scripted.observe(signal)
    },
  }
  await expect(waitForUi(watch, WaitForUi.parse(save))).rejects.toThrow('cancelled')
  expect(scripted.looks()).toBe(3)
})

test('a lost device is not an answer either', async () => {
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
