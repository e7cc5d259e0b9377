import { expect, test } from 'vitest'
import { startLamp, byId, LAMP, later, repeat, tap, toWord } from './rig.ts'

test('a wait is satisfied when the element appears, and returns the element', async () => {
  const { wait, setLamp } = await startLamp()
  later(250, () => setLamp({ guest: true }))
  const { status, body } = await wait({
    kind: 'ui',
    ...byId('guest'),
    condition: 'visible',
    timeout_ms: 10_000,
    poll_interval_ms: 50,
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({
    kind: 'ui',
    status: 'satisfied',
    element: { label: 'A guest', resource_id: `${LAMP}:id/guest` },
  })
  expect(body.metrics.good_reads).toBeGreaterThanOrEqual(2)
})

test('a condition that does not become true is a timeout, not a failed request', async () => {
  const { wait } = await startLamp()
  const { status, body, error } = await wait({
    kind: 'ui',
    ...byId('guest'),
    timeout_ms: 300,
    poll_interval_ms: 100,
  })
  expect([status, error]).toEqual([200, undefined])
  expect(body).toMatchObject({
    status: 'timeout',
    failure_code: 'ELEMENT_NOT_FOUND',
    retryable: true,
  })
})

test.each(['dumpNullRoot', 'dumpStaleFile', 'dumpTruncated'] as const)(
  'an unreadable screen (%s) is not taken for gone or changed',
  async (fault) => {
    const { wait, phone, snapshot } = await startLamp()
    const { fingerprint } = await snapshot()
    phone.faults.set(fault)
    const brief = { timeout_ms: 250, poll_interval_ms: 50 }
    const gone = await wait({ kind: 'ui', ...byId('power'), condition: 'not_exists', ...brief })
    const changed = await wait({
      kind: 'screen_change',
      previous_fingerprint: fingerprint,
      ...brief,
    })
    for (const { status, body } of [gone, changed]) {
      expect(status).toBe(200)
      expect(body).toMatchObject({ status: 'unobservable', failure_code: 'SCREEN_UNREADABLE' })
      expect(body.metrics.good_reads).toBe(0)
      expect(body.metrics.failed_reads).toBeGreaterThan(1)
    }
    phone.faults.clear()
    const there = await wait({ kind: 'ui', ...byId('power'), condition: 'not_exists', ...brief })
    expect(there.body.status).toBe('timeout')
  },
)

test('a few failed readings only delay a wait', async () => {
  const { wait, phone } = await startLamp()
  phone.faults.set('dumpNeverIdle', 2)
  const { body } = await wait({ kind: 'ui', ...byId('power'), poll_interval_ms: 50 })
  expect(body).toMatchObject({
    status: 'satisfied',
    metrics: { failed_reads: 2, good_reads: 2, poll_count: 4 },
  })
})

test('an invalid wait is refused without reading the screen', async () => {
  const { wait, reads } = await startLamp()
  const before = reads()
  for (const request of [
    { kind: 'ui' },
    { kind: 'ui', selector: {} },
    { kind: 'ui', selector: { text: '  ' } },
    { kind: 'ui', ...byId('power'), matcher: { textEquals: 'x' } },
    { kind: 'ui', ...byId('power'), condition: 'gone' },
    { kind: 'ui', ...byId('power'), colour: 'red' },
    { kind: 'screen_change' },
    { kind: 'screen_change', previous_fingerprint: 'x', baseline: { fingerprint: 'x' } },
    { kind: 'ui_change', expected_change: 'anything' },
    { kind: 'log', text: 'x' },
    {},
  ]) {
    const { status, error } = await wait(request)
    expect([status, error?.code], JSON.stringify(request)).toEqual([400, 'INVALID_REQUEST'])
  }
  expect(reads()).toBe(before)
})

test('a change before the wait is detected against an earlier reading', async () => {
  const { wait, snapshot, execute } = await startLamp()
  const { fingerprint, snapshot_revision } = await snapshot()
  await execute([tap('more')])
  const byFingerprint = await wait({ kind: 'screen_change', previous_fingerprint: fingerprint })
  expect(byFingerprint.body).toMatchObject({
    status: 'satisfied',
    baseline: { snapshot_revision },
    observed_screen: { activity: expect.stringContaining(LAMP) },
  })
  const byRevision = await wait({ kind: 'ui_change', baseline: { snapshot_revision } })
  expect(byRevision.body).toMatchObject({
    status: 'satisfied',
    observed_change: 'hierarchy_diff',
    baseline: { snapshot_revision },
  })
})

test('a toggled switch changes the state and not the fingerprint', async () => {
  const { wait, snapshot, execute, phone } = await startLamp()
  const before = await snapshot()
  await execute([tap('power')])
  expect(phone.state(LAMP).saved['on']).toBe(true)
  const baseline = { fingerprint: before.fingerprint }
  const screen = await wait({
    kind: 'screen_change',
    baseline,
    timeout_ms: 300,
    poll_interval_ms: 50,
  })
  expect(screen.body).toMatchObject({ status: 'timeout', last_fingerprint: before.fingerprint })
  const change = { kind: 'ui_change', baseline, timeout_ms: 300, poll_interval_ms: 50 }
  expect((await wait({ ...change, expected_change: 'text_change' })).body.status).toBe('timeout')
  expect((await wait(change)).body).toMatchObject({
    status: 'satisfied',
    observed_change: 'state_change',
  })
})

test('a screen that changes back did not change', async () => {
  const { wait, snapshot, setLamp } = await startLamp()
  const { fingerprint } = await snapshot()
  setLamp({ word: 'Loud' })
  later(100, () => setLamp({ word: 'Quiet' }))
  const { body } = await wait({
    kind: 'screen_change',
    previous_fingerprint: fingerprint,
    timeout_ms: 900,
    poll_interval_ms: 300,
  })
  expect(body).toMatchObject({
    status: 'timeout',
    new_fingerprint: null,
    last_fingerprint: fingerprint,
  })
})

test('the default baseline is the last reading of the caller', async () => {
  const { wait, snapshot, setLamp } = await startLamp()
  const brief = { kind: 'ui_change', timeout_ms: 300, poll_interval_ms: 50 }
  expect((await wait(brief)).body).toMatchObject({ status: 'timeout', baseline: null })
  const { snapshot_revision } = await snapshot()
  setLamp({ word: 'Loud' })
  expect((await wait(brief)).body).toMatchObject({
    status: 'satisfied',
    observed_change: 'text_change',
    baseline: { snapshot_revision },
  })
})

test('a screen is idle when it does not change any more', async () => {
  const { wait, setLamp } = await startLamp()
  const brief = { kind: 'idle', timeout_ms: 600, poll_interval_ms: 50, stability_ms: 200 }
  expect((await wait(brief)).body).toMatchObject({ kind: 'idle', status: 'satisfied' })
  repeat(10, (round) => setLamp({ word: `Round ${toWord(round)}` }))
  expect((await wait(brief)).body).toMatchObject({ kind: 'idle', status: 'timeout' })
})
