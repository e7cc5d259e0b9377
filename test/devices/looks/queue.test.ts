import { expect, test } from 'vitest'
import { adminToken } from '../../kit/daemon.ts'
import { startLamp, byId, LAMP, type Rig, tap } from './rig.ts'

/** Occupies the phone until it is cancelled. */
const NAP = { id: 'nap', type: 'sleep', params: { durationMs: 15_000 } }

/** Resolves when a wait has read the screen more than once. */
async function waitForReads({ reads }: Rig): Promise<void> {
  const before = reads()
  await expect.poll(reads).toBeGreaterThan(before + 1)
}

test('an execution runs between the readings of a wait and satisfies it', async () => {
  const { wait, execute, phone } = await startLamp()
  const waiting = wait({ kind: 'ui', ...byId('more_words'), poll_interval_ms: 50 })
  const done = await execute([tap('more')])
  expect(done.state).toBe('succeeded')
  expect((await waiting).body).toMatchObject({ status: 'satisfied' })
  expect(phone.foreground()?.screen).toBe('more')
})

test('a wait for an action uses only readings after the action has ended', async () => {
  const { wait, queue, snapshot, daemon, phone } = await startLamp()
  const { snapshot_revision } = await snapshot()
  daemon.clock.advance(1000)
  const slow = await queue([{ id: 'nap', type: 'sleep', params: { durationMs: 400 } }, tap('power')])
  const { body } = await wait({
    kind: 'ui_change',
    baseline: { action_id: slow.execution_id },
    poll_interval_ms: 50,
    timeout_ms: 10_000,
  })
  expect(phone.state(LAMP).saved['on']).toBe(true)
  expect(body).toMatchObject({
    status: 'satisfied',
    observed_change: 'state_change',
    baseline: { snapshot_revision },
  })
  expect(daemon.events().filter(({ kind }) => kind === 'execution.checked')).toMatchObject([
    {
      subject: `execution/${slow.execution_id}`,
      payload: { kind: 'ui_change', step_id: 'tap_power', ui_changed: true },
    },
  ])
})

test('a reading before the action of its wait is stale', async () => {
  const { wait, queue, snapshot, setLamp, phone, daemon } = await startLamp()
  const { snapshot_revision } = await snapshot()
  const before = await queue([NAP])
  const late = await queue([tap('power')], -5)
  const about = { baseline: { action_id: late.execution_id }, timeout_ms: 10_000 }
  setLamp({ guest: true })
  const waiting = wait({ kind: 'ui_change', ...about, poll_interval_ms: 50 })
  // The nap, the reading and the action.
  await expect.poll(() => daemon.system.jobs.countInQueue(`device/${phone.serial}`)).toBe(3)
  await daemon.post(`/api/executions/${before.execution_id}/cancel`)
  const { body } = await waiting
  expect(phone.state(LAMP).saved['on']).toBe(true)
  expect(body).toMatchObject({ status: 'satisfied', baseline: { snapshot_revision } })
  expect(body.metrics).toMatchObject({ good_reads: 2 })
  // On a busy machine more than one of them may come before the action.
  expect(body.metrics.stale_reads).toBeGreaterThanOrEqual(1)
})

test('a wait on a device that stays busy is unobservable, not satisfied or timed out', async () => {
  const { wait, queue } = await startLamp()
  await queue([NAP])
  const { status, body } = await wait({
    kind: 'ui',
    ...byId('guest'),
    condition: 'not_exists',
    timeout_ms: 100,
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ status: 'unobservable', failure_code: 'SCREEN_UNREADABLE' })
  expect(body.reason).toContain('DEVICE_BUSY')
})

test('a wait fails when another user has leased the device, also during the wait', async () => {
  const rig = await startLamp()
  const { wait, daemon, url } = rig
  const bob = await daemon.tokenFor('bob')
  const long = { kind: 'ui', ...byId('guest'), timeout_ms: 20_000, poll_interval_ms: 50 }
  const running = wait(long, bob)
  await waitForReads(rig)
  await daemon.post(`${url}/lease`, { purpose: 'alone' })
  expect((await running).error?.code).toBe('DEVICE_LEASED')
  const refused = await wait(long, bob)
  expect([refused.status, refused.error?.code]).toEqual([423, 'DEVICE_LEASED'])
  const own = await wait({ kind: 'ui', ...byId('power'), poll_interval_ms: 50 })
  expect(own.body.status).toBe('satisfied')
})

test('a search for an element waits no longer for a busy device than it was asked to', async () => {
  const { daemon, url, queue } = await startLamp()
  const { execution_id } = await queue([NAP])
  const reply = await daemon.post(`${url}/find-element`, { query: 'Order', timeout_ms: 0 })
  expect(reply.json()).toMatchObject({ error: { code: 'DEVICE_TIMEOUT', retryable: true } })
  expect((await daemon.get(`/api/executions/${execution_id}`)).json()).toMatchObject({
    execution: { state: 'running' },
  })
})

const POLLING = [
  ['waits', { kind: 'ui', ...byId('guest'), timeout_ms: 60_000, poll_interval_ms: 50 }],
  ['find-element', { query: 'not on the screen', timeout_ms: 60_000 }],
] as const

test.each(POLLING)('%s stops reading when its client disconnects', async (path, body) => {
  const rig = await startLamp()
  const { daemon, url, reads } = rig
  const { url: base } = await daemon.listen()
  const leaving = new AbortController()
  const reply = fetch(`${base}${url}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).then(() => 'answered', String)
  await waitForReads(rig)
  leaving.abort()
  expect(await reply).toContain('aborted')
  const countNewReads = async () => {
    const before = reads()
    await new Promise((resolve) => setTimeout(resolve, 500))
    return reads() - before
  }
  await expect.poll(countNewReads).toBe(0)
})

test.each(POLLING)('a stopping daemon ends %s', async (path, body) => {
  const rig = await startLamp()
  const waiting = rig.daemon.post(`${rig.url}/${path}`, body)
  await waitForReads(rig)
  void rig.daemon.stop()
  expect((await waiting).json()).toMatchObject({ error: { code: 'SHUTTING_DOWN' } })
})

test('an unreachable device is a failure with its code, not a timeout', async () => {
  const rig = await startLamp()
  const long = { kind: 'ui', ...byId('guest'), timeout_ms: 20_000, poll_interval_ms: 50 }
  const waiting = rig.wait(long)
  await waitForReads(rig)
  await rig.daemon.system.devices.phone.close()
  const { status, error } = await waiting
  expect(status).toBe(503)
  expect(['ADB_SERVER_FAILED', 'DEVICE_LOST', 'DEVICE_OFFLINE']).toContain(error?.code)
  expect(error?.retryable).toBe(true)
})

test('unknown devices, actions and readings have different codes', async () => {
  const { wait, daemon, snapshot, execute, url } = await startLamp()
  const other = await daemon.post('/api/devices/nobody/waits', { kind: 'ui', ...byId('power') })
  expect(other.json()).toMatchObject({ error: { code: 'DEVICE_NOT_FOUND' } })
  const { fingerprint, snapshot_revision } = await snapshot()
  const done = await execute([tap('power')])
  const bob = await daemon.tokenFor('bob')
  const readCode = async (baseline: object, token?: string) =>
    (await wait({ kind: 'ui_change', baseline, timeout_ms: 0 }, token)).error?.code
  expect(await readCode({ snapshot_revision: 99 })).toBe('BASELINE_NOT_FOUND')
  expect(await readCode({ fingerprint: 'f'.repeat(64) })).toBe('BASELINE_NOT_FOUND')
  expect(await readCode({ action_id: 'nonsense' })).toBe('EXECUTION_NOT_FOUND')
  expect(await readCode({ action_id: `${done.execution_id}/nonsense` })).toBe('EXECUTION_NOT_FOUND')
  // Readings and actions of one caller are unknown to another.
  expect(await readCode({ snapshot_revision })).toBeUndefined()
  expect(await readCode({ snapshot_revision }, bob)).toBe('BASELINE_NOT_FOUND')
  expect(await readCode({ fingerprint }, bob)).toBe('BASELINE_NOT_FOUND')
  expect(await readCode({ action_id: done.execution_id }, bob)).toBe('EXECUTION_NOT_FOUND')
  const reader = await daemon.tokenFor('eve', 'read')
  expect((await daemon.post(`${url}/waits`, { kind: 'idle' }, reader)).statusCode).toBe(403)
})
