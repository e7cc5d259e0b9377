import { describe, expect, test } from 'vitest'
import type { FaultName } from '@apprentice/phone/phone.ts'
import { eventually } from '../driver/outcomes.ts'
import { poolKinds } from './pool-kinds.ts'
import {
  type ExecutionRequest,
  snapshotStep,
  tapMark,
  type Pool,
  type PoolPhone,
  startPool,
  tapMarkAt,
} from './pool.ts'

/** Starts two phones: faults of one must not affect the other. */
async function startPair(kind: (typeof poolKinds)[number]) {
  const pool = await startPool(kind, 2)
  const [faulty, healthy] = pool.phones
  if (faulty === undefined || healthy === undefined) throw new Error('two phones are needed')
  return { pool, faulty, healthy }
}

/** Runs an execution that must fail. Returns its error and the data of the failed step. */
async function runFailing(pool: Pool, on: PoolPhone, ask: Partial<ExecutionRequest> = {}) {
  const { status, execution } = await pool.execute({
    actions: [tapMark(1), tapMark(2)],
    on,
    ...ask,
  })
  expect([status, execution.state]).toEqual([200, 'failed'])
  const failed = execution.envelope?.stepResults.find(({ outcome }) => outcome === 'failed')
  return { code: execution.envelope?.errorCode, hint: execution.envelope?.hint, data: failed?.data }
}

async function expectWorking(pool: Pool, on: PoolPhone): Promise<void> {
  await pool.waitForState(on, 'device')
  const before = on.taps()
  const { execution } = await pool.execute({ actions: [tapMark(7)], on })
  expect(execution.envelope).toMatchObject({ status: 'success' })
  expect(on.taps()).toBe(before + 1)
}

async function readFailing(pool: Pool, { serial }: PoolPhone, timeout_ms = 2000) {
  const reply = await pool.daemon.post(`/api/devices/${serial}/snapshot`, { timeout_ms })
  const { error } = reply.json<{ error: { code: string; details?: Record<string, unknown> } }>()
  return { status: reply.statusCode, code: error.code, kind: error.details?.['kind'] }
}

describe.each(poolKinds)('over $name', (kind) => {
  test('a phone unplugged during a tap is lost, and works again when it is back', async () => {
    const { pool, faulty, healthy } = await startPair(kind)
    await expectWorking(pool, faulty)
    const free = faulty.clock.hold()
    const touching = pool.execute({
      actions: [tapMarkAt(faulty, 1), tapMark(2)],
      on: faulty,
    })
    await eventually(
      () => faulty.clock.busy,
      (busy) => busy === 1,
    )
    await pool.rig.vanish(faulty.phone)
    const { execution } = await touching
    expect(execution).toMatchObject({ state: 'failed', envelope: { errorCode: 'DEVICE_LOST' } })
    expect(execution.envelope?.hint).toContain('whether it took effect is unknown')
    expect(execution.envelope?.stepResults).toMatchObject([
      { id: 'touch-1', outcome: 'failed', data: { retryable: 'true', command_sent: 'true' } },
      { id: 'mark-2', outcome: 'skipped' },
    ])
    free()
    await expectWorking(pool, healthy)
    await pool.waitForState(faulty, 'gone', 'offline')
    const away = await runFailing(pool, faulty)
    expect(['DEVICE_LOST', 'DEVICE_OFFLINE']).toContain(away.code)
    expect(away.data).toMatchObject({ command_sent: 'false' })
    expect(await readFailing(pool, faulty)).toMatchObject({ status: 503, code: 'DEVICE_OFFLINE' })
    await pool.rig.comeBack(faulty.phone)
    await expectWorking(pool, faulty)
    expect(faulty.order()).toEqual(['7', '7'])
  })

  test('an unauthorized phone is reported until a person allows debugging', async () => {
    const { pool, faulty, healthy } = await startPair(kind)
    await pool.rig.faults(faulty.phone, { unauthorized: true })
    await pool.rig.cut(faulty.phone)
    await pool.waitForState(faulty, 'unauthorized')
    const { code, hint, data } = await runFailing(pool, faulty)
    expect(code).toBe('DEVICE_UNAUTHORIZED')
    expect(hint).toContain('allow debugging on the')
    expect(data).toMatchObject({ kind: 'device_unauthorized', retryable: 'false' })
    expect(await readFailing(pool, faulty)).toMatchObject({
      status: 403,
      code: 'DEVICE_UNAUTHORIZED',
    })
    await expectWorking(pool, healthy)
    await pool.rig.faults(faulty.phone, 'none')
    await expectWorking(pool, faulty)
  })

  test('an offline phone is reported differently from an absent one', async () => {
    const { pool, faulty, healthy } = await startPair(kind)
    await pool.rig.faults(faulty.phone, { muteConnect: true })
    await pool.rig.cut(faulty.phone)
    await pool.waitForState(faulty, 'offline', 'connecting')
    const { code, data } = await runFailing(pool, faulty)
    expect(code).toBe('DEVICE_OFFLINE')
    expect(data).toMatchObject({ retryable: 'true', command_sent: 'false' })
    expect(await readFailing(pool, faulty)).toMatchObject({ status: 503, code: 'DEVICE_OFFLINE' })
    await expectWorking(pool, healthy)
    await pool.rig.faults(faulty.phone, 'none')
    await expectWorking(pool, faulty)
  })

  test('executions fail without an adb server and work again after its restart', async () => {
    const { pool, faulty, healthy } = await startPair(kind)
    await pool.rig.killServer()
    await pool.waitForState(faulty, 'gone')
    const { code, data } = await runFailing(pool, faulty)
    expect(code).toBe('ADB_SERVER_FAILED')
    expect(data).toMatchObject({ kind: 'server_down', retryable: 'true', command_sent: 'false' })
    expect(await readFailing(pool, healthy)).toMatchObject({
      status: 503,
      code: 'ADB_SERVER_FAILED',
    })
    const named = await pool.execute({ actions: [tapMark(1)] })
    expect([named.status, named.error.code]).toEqual([404, 'NO_DEVICES'])
    expect((await pool.daemon.get('/readyz')).json()).toMatchObject({
      status: 'degraded',
      phone: { status: 'degraded' },
    })
    await pool.rig.restartServer()
    for (const phone of [faulty, healthy]) {
      // A restarted real server does not know its TCP devices any more.
      await pool.rig.client.reconnectTcp(phone.serial, { timeoutMs: 3000 }).catch(() => {})
      await expectWorking(pool, phone)
    }
  })

  test('a tap during which the server dies is reported as unknown and not repeated', async () => {
    const { pool, faulty } = await startPair(kind)
    await expectWorking(pool, faulty)
    const free = faulty.clock.hold()
    const touching = pool.execute({ actions: [tapMarkAt(faulty, 1)], on: faulty })
    await eventually(
      () => faulty.clock.busy,
      (busy) => busy === 1,
    )
    await pool.rig.proxy.shut()
    free()
    const { execution } = await touching
    expect(execution).toMatchObject({ state: 'failed', envelope: { errorCode: 'DEVICE_LOST' } })
    expect(execution.envelope?.stepResults[0]?.data).toMatchObject({ command_sent: 'true' })
    await pool.rig.proxy.open()
    await expectWorking(pool, faulty)
    expect(faulty.order().filter((name) => name === '1').length).toBeLessThanOrEqual(1)
    expect(faulty.order().filter((name) => name === '7')).toHaveLength(2)
  })

  test('a hanging shell ends with the timeout, and the next execution gets a new one', async () => {
    const { pool, faulty, healthy } = await startPair(kind)
    await expectWorking(pool, faulty)
    faulty.phone.faults.hangCommand(/input tap/)
    const hung = runFailing(pool, faulty, { timeoutMs: 2500 })
    await expectWorking(pool, healthy)
    const { code, data } = await hung
    expect(code).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect(data).toMatchObject({ current_step_id: 'mark-1', command_sent: 'true' })
    faulty.phone.faults.hangCommand(/uiautomator/)
    expect(await readFailing(pool, faulty, 1000)).toMatchObject({
      status: 504,
      code: 'DEVICE_TIMEOUT',
    })
    faulty.phone.faults.clear()
    await expectWorking(pool, faulty)
  })

  test('a frozen connection ends with the timeout, and works again afterwards', async () => {
    const { pool, faulty, healthy } = await startPair(kind)
    await pool.rig.faults(faulty.phone, { freeze: true })
    const frozen = runFailing(pool, faulty, { timeoutMs: 1500 })
    await expectWorking(pool, healthy)
    const { code, data } = await frozen
    expect(code).toBe('RESULT_ENVELOPE_TIMEOUT')
    expect(data).toMatchObject({ current_step_id: 'mark-1' })
    await pool.rig.faults(faulty.phone, 'none')
    await expectWorking(pool, faulty)
  })

  test('a cancel does not wait for a hanging phone', async () => {
    const { pool, faulty } = await startPair(kind)
    await expectWorking(pool, faulty)
    faulty.phone.faults.hangCommand(/input tap/)
    const sent = await pool.queue({ actions: [tapMark(1)], on: faulty, timeoutMs: 120_000 })
    const id = sent.execution.execution_id
    await eventually(
      () => faulty.phone.faults.hungCommands,
      (hung) => hung === 1,
    )
    expect((await pool.get(id)).execution.current_step_id).toBe('mark-1')
    expect((await pool.cancel(id)).execution).toMatchObject({ state: 'cancelled' })
    faulty.phone.faults.clear()
    await expectWorking(pool, faulty)
  })

  test.each<[FaultName, string]>([
    ['dumpTruncated', 'truncated'],
    ['dumpNeverIdle', 'not_idle'],
    ['dumpNullRoot', 'null_root'],
    ['dumpSecondClient', 'other_client'],
    ['dumpCrash', 'crashed'],
    ['dumpKilled', 'killed'],
  ])('%s is reported as an unreadable screen with its reason', async (fault, why) => {
    const { pool, faulty, healthy } = await startPair(kind)
    faulty.phone.faults.set(fault)
    const { code, data } = await runFailing(pool, faulty, { actions: [snapshotStep, tapMark(1)] })
    expect(code).toBe('UI_TREE_UNAVAILABLE')
    expect(data).toMatchObject({ error: 'UI_TREE_UNAVAILABLE', kind: why })
    expect(data).not.toHaveProperty('text')
    expect(await readFailing(pool, faulty)).toEqual({
      status: 502,
      code: 'SNAPSHOT_EXTRACTION_FAILED',
      kind: why,
    })
    expect(faulty.taps()).toBe(0)
    await expectWorking(pool, healthy)
    faulty.phone.faults.clear()
    await expectWorking(pool, faulty)
  })

  test('vendor output before the UI tree is ignored', async () => {
    const { pool, faulty } = await startPair(kind)
    faulty.phone.faults.set('dumpGarbagePrefix')
    const { execution } = await pool.execute({ actions: [snapshotStep, tapMark(1)], on: faulty })
    expect(execution.state).toBe('succeeded')
    const text = execution.envelope?.stepResults[0]?.data['text']
    expect(text).toMatch(/^<\?xml/)
    expect(text).not.toContain('linker')
    expect(faulty.order()).toEqual(['1'])
  })
})
