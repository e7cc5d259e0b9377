import { describe, expect, test } from 'vitest'
import type { FaultName } from '@apprentice/phone/phone.ts'
import { eventually } from '../driver/outcomes.ts'
import { rigKinds } from '../driver/rigs.ts'
import { type Ask, look, mark, type Pool, type PoolPhone, startPool, touch } from './pool.ts'

/** Two phones: one gets into trouble, the other must not notice. */
async function startPair(kind: (typeof rigKinds)[number]) {
  const pool = await startPool(kind, 2)
  const [sick, well] = pool.phones
  if (sick === undefined || well === undefined) throw new Error('a pair')
  return { pool, sick, well }
}

/** What an execution failed with, and what its failed step says. */
async function failure(pool: Pool, on: PoolPhone, ask: Partial<Ask> = {}) {
  const { status, execution } = await pool.execute({ actions: [mark(1), mark(2)], on, ...ask })
  expect([status, execution.state]).toEqual([200, 'failed'])
  const failed = execution.envelope?.stepResults.find(({ outcome }) => outcome === 'failed')
  return { code: execution.envelope?.errorCode, hint: execution.envelope?.hint, data: failed?.data }
}

async function works(pool: Pool, on: PoolPhone): Promise<void> {
  await pool.becomes(on, 'device')
  const before = on.taps()
  const { execution } = await pool.execute({ actions: [mark(7)], on })
  expect(execution.envelope).toMatchObject({ status: 'success' })
  expect(on.taps()).toBe(before + 1)
}

async function snapshotFailure(pool: Pool, { serial }: PoolPhone, timeout_ms = 2000) {
  const reply = await pool.daemon.post(`/api/devices/${serial}/snapshot`, { timeout_ms })
  const { error } = reply.json<{ error: { code: string; details: Record<string, unknown> } }>()
  return { status: reply.statusCode, code: error.code, kind: error.details['kind'] }
}

describe.each(rigKinds)('over $name', (kind) => {
  test('a phone unplugged in the middle of a touch is lost, and back when it is back', async () => {
    const { pool, sick, well } = await startPair(kind)
    await works(pool, sick)
    const free = sick.clock.hold()
    const touching = pool.execute({
      actions: [touch(sick, 1), mark(2)],
      on: sick,
    })
    await eventually(
      () => sick.clock.busy,
      (busy) => busy === 1,
    )
    await pool.rig.vanish(sick.phone)
    const { execution } = await touching
    expect(execution).toMatchObject({ state: 'failed', envelope: { errorCode: 'DEVICE_LOST' } })
    expect(execution.envelope?.hint).toContain('whether it took effect is unknown')
    expect(execution.envelope?.stepResults).toMatchObject([
      { id: 'touch-1', outcome: 'failed', data: { retryable: 'true', command_sent: 'true' } },
      { id: 'mark-2', outcome: 'skipped' },
    ])
    free()
    await works(pool, well)
    await pool.becomes(sick, 'gone', 'offline')
    const away = await failure(pool, sick)
    expect(['DEVICE_LOST', 'DEVICE_OFFLINE']).toContain(away.code)
    expect(away.data).toMatchObject({ command_sent: 'false' })
    expect(await snapshotFailure(pool, sick)).toMatchObject({ status: 503, code: 'DEVICE_OFFLINE' })
    await pool.rig.comeBack(sick.phone)
    await works(pool, sick)
    expect(sick.order()).toEqual(['7', '7'])
  })

  test('an unauthorized phone waits for a person', async () => {
    const { pool, sick, well } = await startPair(kind)
    await pool.rig.faults(sick.phone, { unauthorized: true })
    await pool.rig.cut(sick.phone)
    await pool.becomes(sick, 'unauthorized')
    const { code, hint, data } = await failure(pool, sick)
    expect(code).toBe('DEVICE_UNAUTHORIZED')
    expect(hint).toContain('a person must allow')
    expect(data).toMatchObject({ kind: 'device_unauthorized', retryable: 'false' })
    expect(await snapshotFailure(pool, sick)).toMatchObject({
      status: 403,
      code: 'DEVICE_UNAUTHORIZED',
    })
    await works(pool, well)
    await pool.rig.faults(sick.phone, 'none')
    await works(pool, sick)
  })

  test('an offline phone is told apart from an absent one', async () => {
    const { pool, sick, well } = await startPair(kind)
    await pool.rig.faults(sick.phone, { muteConnect: true })
    await pool.rig.cut(sick.phone)
    await pool.becomes(sick, 'offline', 'connecting')
    const { code, data } = await failure(pool, sick)
    expect(code).toBe('DEVICE_OFFLINE')
    expect(data).toMatchObject({ retryable: 'true', command_sent: 'false' })
    expect(await snapshotFailure(pool, sick)).toMatchObject({ status: 503, code: 'DEVICE_OFFLINE' })
    await works(pool, well)
    await pool.rig.faults(sick.phone, 'none')
    await works(pool, sick)
  })

  test('without an adb server nothing runs, and all of it works once there is one again', async () => {
    const { pool, sick, well } = await startPair(kind)
    await pool.rig.killServer()
    await pool.becomes(sick, 'gone')
    const { code, data } = await failure(pool, sick)
    expect(code).toBe('ADB_SERVER_FAILED')
    expect(data).toMatchObject({ kind: 'server_down', retryable: 'true', command_sent: 'false' })
    expect(await snapshotFailure(pool, well)).toMatchObject({
      status: 503,
      code: 'ADB_SERVER_FAILED',
    })
    const named = await pool.execute({ actions: [mark(1)] })
    expect([named.status, named.error.code]).toEqual([404, 'NO_DEVICES'])
    expect((await pool.daemon.get('/readyz')).json()).toMatchObject({
      status: 'degraded',
      phone: { status: 'degraded' },
    })
    await pool.rig.restartServer()
    for (const phone of [sick, well]) {
      // A real server has forgotten its network phones; it keeps those it knows.
      await pool.rig.client.reconnectTcp(phone.serial, { timeoutMs: 3000 }).catch(() => {})
      await works(pool, phone)
    }
  })

  test('a server that dies in the middle of a touch leaves it unknown, not repeated', async () => {
    const { pool, sick } = await startPair(kind)
    await works(pool, sick)
    const free = sick.clock.hold()
    const touching = pool.execute({ actions: [touch(sick, 1)], on: sick })
    await eventually(
      () => sick.clock.busy,
      (busy) => busy === 1,
    )
    await pool.rig.door.shut()
    free()
    const { execution } = await touching
    expect(execution).toMatchObject({ state: 'failed', envelope: { errorCode: 'DEVICE_LOST' } })
    expect(execution.envelope?.stepResults[0]?.data).toMatchObject({ command_sent: 'true' })
    await pool.rig.door.open()
    await works(pool, sick)
    expect(sick.order().filter((name) => name === '1').length).toBeLessThanOrEqual(1)
    expect(sick.order().filter((name) => name === '7')).toHaveLength(2)
  })

  test('a shell that hangs ends with the time given, and the next execution gets a new one', async () => {
    const { pool, sick, well } = await startPair(kind)
    await works(pool, sick)
    sick.phone.faults.hangCommand(/input tap/)
    const hung = failure(pool, sick, { timeoutMs: 2500 })
    await works(pool, well)
    const { code, data } = await hung
    expect(code).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect(data).toMatchObject({ current_step_id: 'mark-1', command_sent: 'true' })
    sick.phone.faults.hangCommand(/uiautomator/)
    expect(await snapshotFailure(pool, sick, 1000)).toMatchObject({
      status: 504,
      code: 'DEVICE_TIMEOUT',
    })
    sick.phone.faults.clear()
    await works(pool, sick)
  })

  test('a phone whose connection freezes ends with the time given, and thaws', async () => {
    const { pool, sick, well } = await startPair(kind)
    await pool.rig.faults(sick.phone, { freeze: true })
    const frozen = failure(pool, sick, { timeoutMs: 1500 })
    await works(pool, well)
    const { code, data } = await frozen
    expect(code).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect(data).toMatchObject({ current_step_id: 'mark-1' })
    await pool.rig.faults(sick.phone, 'none')
    await works(pool, sick)
  })

  test('a cancel does not wait for a hung phone', async () => {
    const { pool, sick } = await startPair(kind)
    await works(pool, sick)
    sick.phone.faults.hangCommand(/input tap/)
    const sent = await pool.queue({ actions: [mark(1)], on: sick, timeoutMs: 120_000 })
    const id = sent.execution.execution_id
    await eventually(
      () => sick.phone.faults.hung,
      (hung) => hung === 1,
    )
    expect((await pool.get(id)).execution.current_step_id).toBe('mark-1')
    expect((await pool.cancel(id)).execution).toMatchObject({ state: 'cancelled' })
    sick.phone.faults.clear()
    await works(pool, sick)
  })

  test.each<[FaultName, string]>([
    ['dumpTruncated', 'truncated'],
    ['dumpNeverIdle', 'not_idle'],
    ['dumpNullRoot', 'null_root'],
    ['dumpSecondClient', 'other_client'],
    ['dumpCrash', 'crashed'],
    ['dumpKilled', 'killed'],
  ])('%s is a screen that could not be read, and why', async (fault, why) => {
    const { pool, sick, well } = await startPair(kind)
    sick.phone.faults.set(fault)
    const { code, data } = await failure(pool, sick, { actions: [look, mark(1)] })
    expect(code).toBe('UI_TREE_UNAVAILABLE')
    expect(data).toMatchObject({ error: 'UI_TREE_UNAVAILABLE', kind: why })
    expect(data).not.toHaveProperty('text')
    expect(await snapshotFailure(pool, sick)).toEqual({
      status: 502,
      code: 'SNAPSHOT_EXTRACTION_FAILED',
      kind: why,
    })
    expect(sick.taps()).toBe(0)
    await works(pool, well)
    sick.phone.faults.clear()
    await works(pool, sick)
  })

  test('what a vendor prints before the tree is not taken for the screen', async () => {
    const { pool, sick } = await startPair(kind)
    sick.phone.faults.set('dumpGarbagePrefix')
    const { execution } = await pool.execute({ actions: [look, mark(1)], on: sick })
    expect(execution.state).toBe('succeeded')
    const text = execution.envelope?.stepResults[0]?.data['text']
    expect(text).toMatch(/^<\?xml/)
    expect(text).not.toContain('linker')
    expect(sick.order()).toEqual(['1'])
  })
})
