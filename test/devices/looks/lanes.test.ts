import { expect, test } from 'vitest'
import { adminToken } from '../../kit/daemon.ts'
import { aLamp, byId, LAMP, type Rig, tap } from './rig.ts'

/** Has the phone until it is taken back. */
const nap = { id: 'nap', type: 'sleep', params: { durationMs: 15_000 } }

/** A wait that was just asked for has read the screen more than once. */
async function hasRead({ reads }: Rig): Promise<void> {
  const before = reads()
  await expect.poll(reads).toBeGreaterThan(before + 1)
}

test('an execution goes between the readings of a wait that it fulfils', async () => {
  const { wait, execute, phone } = await aLamp()
  const waiting = wait({ kind: 'ui', ...byId('more_words'), poll_interval_ms: 50 })
  const done = await execute([tap('more')])
  expect(done.state).toBe('succeeded')
  expect((await waiting).body).toMatchObject({ status: 'satisfied' })
  expect(phone.foreground()?.screen).toBe('more')
})

test('a reading about an action counts only from when the action has ended', async () => {
  const { wait, queue, snapshot, daemon, phone } = await aLamp()
  const { snapshot_revision } = await snapshot()
  daemon.clock.advance(1000)
  const slow = await queue([
    { id: 'nap', type: 'sleep', params: { durationMs: 400 } },
    tap('power'),
  ])
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

test('a reading that overtakes the action it is about is stale', async () => {
  const { wait, queue, snapshot, lamp, phone, daemon } = await aLamp()
  const { snapshot_revision } = await snapshot()
  const before = await queue([nap])
  const late = await queue([tap('power')], -5)
  const about = { baseline: { action_id: late.execution_id }, timeout_ms: 10_000 }
  lamp({ guest: true })
  const waiting = wait({ kind: 'ui_change', ...about, poll_interval_ms: 50 })
  // The nap, the action and before it the reading.
  await expect.poll(() => daemon.system.jobs.depthOf(`device/${phone.serial}`)).toBe(3)
  await daemon.post(`/api/executions/${before.execution_id}/cancel`)
  const { body } = await waiting
  expect(phone.state(LAMP).saved['on']).toBe(true)
  expect(body).toMatchObject({ status: 'satisfied', baseline: { snapshot_revision } })
  expect(body.metrics).toMatchObject({ stale_reads: 1, good_reads: 2 })
})

test('a device that is busy all the time shows nothing, which is neither yes nor no', async () => {
  const { wait, queue } = await aLamp()
  await queue([nap])
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

test('what somebody else has leased cannot be watched, also when it is leased during the wait', async () => {
  const rig = await aLamp()
  const { wait, daemon, url } = rig
  const bob = await daemon.tokenFor('bob')
  const long = { kind: 'ui', ...byId('guest'), timeout_ms: 20_000, poll_interval_ms: 50 }
  const underWay = wait(long, bob)
  await hasRead(rig)
  await daemon.post(`${url}/lease`, { purpose: 'alone' })
  expect((await underWay).error?.code).toBe('DEVICE_LEASED')
  const refused = await wait(long, bob)
  expect([refused.status, refused.error?.code]).toEqual([423, 'DEVICE_LEASED'])
  const own = await wait({ kind: 'ui', ...byId('power'), poll_interval_ms: 50 })
  expect(own.body.status).toBe('satisfied')
})

test('a client that leaves ends its wait: nobody reads on', async () => {
  const rig = await aLamp()
  const { daemon, url, reads } = rig
  const { url: base } = await daemon.listen()
  const leaving = new AbortController()
  const gone = fetch(`${base}${url}/waits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      kind: 'ui',
      ...byId('guest'),
      timeout_ms: 60_000,
      poll_interval_ms: 50,
    }),
    signal: leaving.signal,
  }).then(() => 'answered', String)
  await hasRead(rig)
  leaving.abort()
  expect(await gone).toContain('aborted')
  const readsOfAWhile = async () => {
    const before = reads()
    await new Promise((resolve) => setTimeout(resolve, 500))
    return reads() - before
  }
  await expect.poll(readsOfAWhile).toBe(0)
})

test('a daemon that stops does not wait for waits', async () => {
  const rig = await aLamp()
  const waiting = rig.wait({ kind: 'ui', ...byId('guest'), timeout_ms: 60_000 })
  await hasRead(rig)
  void rig.daemon.stop()
  const { status, error } = await waiting
  expect([status, error?.code]).toEqual([503, 'SHUTTING_DOWN'])
})

test('a device that cannot be reached is a failure with its code, never a timeout', async () => {
  const rig = await aLamp()
  const long = { kind: 'ui', ...byId('guest'), timeout_ms: 20_000, poll_interval_ms: 50 }
  const waiting = rig.wait(long)
  await hasRead(rig)
  await rig.daemon.system.floor.phone.close()
  const { status, error } = await waiting
  expect(status).toBe(503)
  expect(['ADB_SERVER_FAILED', 'DEVICE_LOST', 'DEVICE_OFFLINE']).toContain(error?.code)
  expect(error?.retryable).toBe(true)
})

test('unknown devices, actions and readings are told apart', async () => {
  const { wait, daemon, snapshot, execute, url } = await aLamp()
  const other = await daemon.post('/api/devices/nobody/waits', { kind: 'ui', ...byId('power') })
  expect(other.json()).toMatchObject({ error: { code: 'DEVICE_NOT_FOUND' } })
  const { fingerprint, snapshot_revision } = await snapshot()
  const done = await execute([tap('power')])
  const bob = await daemon.tokenFor('bob')
  const codeOf = async (baseline: object, token?: string) =>
    (await wait({ kind: 'ui_change', baseline, timeout_ms: 0 }, token)).error?.code
  expect(await codeOf({ snapshot_revision: 99 })).toBe('BASELINE_NOT_FOUND')
  expect(await codeOf({ fingerprint: 'f'.repeat(64) })).toBe('BASELINE_NOT_FOUND')
  expect(await codeOf({ action_id: 'nonsense' })).toBe('EXECUTION_NOT_FOUND')
  expect(await codeOf({ action_id: `${done.execution_id}/nonsense` })).toBe('EXECUTION_NOT_FOUND')
  // What one caller was shown or did is nothing to another.
  expect(await codeOf({ snapshot_revision })).toBeUndefined()
  expect(await codeOf({ snapshot_revision }, bob)).toBe('BASELINE_NOT_FOUND')
  expect(await codeOf({ fingerprint }, bob)).toBe('BASELINE_NOT_FOUND')
  expect(await codeOf({ action_id: done.execution_id }, bob)).toBe('EXECUTION_NOT_FOUND')
  const reader = await daemon.tokenFor('eve', 'read')
  expect((await daemon.post(`${url}/waits`, { kind: 'idle' }, reader)).statusCode).toBe(403)
})
