import { describe, expect, test } from 'vitest'
import { eventually } from '../driver/outcomes.ts'
import { poolKinds } from './pool-kinds.ts'
import { snapshotStep, tapMark, type Pool, startPool } from './pool.ts'
import { barrier } from './observed-clock.ts'

describe.each(poolKinds)('over $name', (kind) => {
  test('a higher priority goes first and does not interrupt the running execution', async () => {
    const pool = await startPool(kind)
    const free = await keepBusy(pool, { actions: [tapMark(0)] })
    const sent = [
      await pool.queue({ actions: [tapMark(1)], priority: -5 }),
      await pool.queue({ actions: [tapMark(2)] }),
      await pool.queue({ actions: [tapMark(3)], priority: 10 }),
      await pool.queue({ actions: [tapMark(4)] }),
    ]
    free()
    for (const { execution } of sent) await pool.end(execution.execution_id)
    expect(pool.phone.order()).toEqual(['0', '3', '2', '4', '1'])
  })

  test('principals take turns, however many executions one of them has queued', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const free = await keepBusy(pool, { actions: [tapMark(0)] })
    const mine = []
    for (const name of [1, 2, 3]) mine.push(await pool.queue({ actions: [tapMark(name)] }))
    const theirs = []
    for (const name of [4, 5]) {
      theirs.push(await pool.queue({ actions: [tapMark(name)], token: other }))
    }
    free()
    for (const { execution } of mine) await pool.end(execution.execution_id)
    for (const { execution } of theirs) await pool.end(execution.execution_id, other)
    expect(pool.phone.order()).toEqual(['0', '4', '1', '5', '2', '3'])
  })

  test('four devices work in parallel, each on one command at a time', async () => {
    const pool = await startPool(kind, 4)
    // No dump ends before all four phones dump: without parallel work the test would not end.
    const meeting = barrier(4)
    for (const { clock } of pool.phones) clock.waitAt(meeting)
    const sent = pool.phones.flatMap((on) =>
      [1, 2, 3].map((name) => pool.execute({ actions: [tapMark(name), snapshotStep], on })),
    )
    for (const { execution } of await Promise.all(sent)) {
      expect(execution.state).toBe('succeeded')
    }
    for (const { clock, order } of pool.phones) {
      expect(new Set(order())).toEqual(new Set(['1', '2', '3']))
      expect(order()).toHaveLength(3)
      expect(clock.maxBusy).toBe(1)
    }
  })

  test('a hanging device does not delay other devices', async () => {
    const pool = await startPool(kind, 2)
    const [stuck, well] = pool.phones
    const free = stuck?.clock.hold()
    const held = await pool.queue({ actions: [tapMark(1)], on: stuck })
    const behind = await pool.queue({ actions: [tapMark(2)], on: stuck })
    for (const name of [1, 2, 3]) {
      const { execution } = await pool.execute({ actions: [tapMark(name)], on: well })
      expect(execution.state).toBe('succeeded')
    }
    expect((await pool.get(held.execution.execution_id)).execution.state).toBe('running')
    expect((await pool.get(behind.execution.execution_id)).execution.state).toBe('queued')
    expect(stuck?.taps()).toBe(0)
    free?.()
    expect((await pool.end(behind.execution.execution_id)).state).toBe('succeeded')
    expect(stuck?.order()).toEqual(['1', '2'])
  })

  test('screen readings and executions of one device never overlap', async () => {
    const pool = await startPool(kind)
    const { serial, clock } = pool.phone
    const outcomes = Array.from({ length: 6 }, async (_, at) => {
      const snapshot = pool.daemon.post(`/api/devices/${serial}/snapshot`, {})
      const screenshot = pool.daemon.post(`/api/devices/${serial}/screenshot`, {})
      const { execution } = await pool.execute({ actions: [tapMark(at), snapshotStep] })
      return [execution.state, (await snapshot).statusCode, (await screenshot).statusCode]
    })
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toEqual(['succeeded', 200, 201])
    expect(clock.commandCount).toBeGreaterThanOrEqual(30)
    expect(clock.maxBusy).toBe(1)
  })

  test('a reading that waits in the queue until its timeout fails and leaves the queue', async () => {
    const pool = await startPool(kind)
    const { serial } = pool.phone
    const free = await keepBusy(pool, { actions: [tapMark(0)] })
    const url = `/api/devices/${serial}/snapshot`
    const late = await pool.daemon.post(url, { timeout_ms: 1000 })
    expect(late.statusCode).toBe(504)
    expect(late.json()).toMatchObject({ error: { code: 'DEVICE_TIMEOUT', retryable: true } })
    expect(pool.daemon.system.jobs.countInQueue(`device/${serial}`)).toBe(1)
    free()
    const reply = await pool.daemon.post(url, { include_xml: true })
    expect(reply.statusCode).toBe(200)
    expect(reply.json<{ xml: string }>().xml).toContain('Mark 1')
    expect(pool.phone.order()).toEqual(['0'])
  })

  test('metrics report the queue depth of each device and the wait of executions', async () => {
    const pool = await startPool(kind, 2)
    const [busy, idle] = pool.phones
    const metric = async (line: string) => {
      const { body } = await pool.daemon.get('/metrics')
      const found = body.split('\n').find((one) => one.startsWith(`${line} `))
      return found === undefined ? undefined : Number(found.slice(line.length + 1))
    }
    const free = await keepBusy(pool, { actions: [tapMark(0)] })
    const second = await pool.queue({ actions: [tapMark(1)], on: busy })
    await pool.queue({ actions: [tapMark(2)], on: busy })
    expect(await metric(`apprentice_lane_depth{serial="${busy?.serial}"}`)).toBe(3)
    expect(await metric(`apprentice_lane_depth{serial="${idle?.serial}"}`)).toBe(0)
    expect((await pool.device(pool.phone)).queue_depth).toBe(3)
    await pool.cancel(second.execution.execution_id)
    expect(await metric(`apprentice_lane_depth{serial="${busy?.serial}"}`)).toBe(2)
    pool.daemon.clock.advance(7000)
    free()
    await eventually(
      () => metric(`apprentice_lane_depth{serial="${busy?.serial}"}`),
      (depth) => depth === 0,
    )
    expect(await metric('apprentice_execution_wait_seconds_count')).toBe(2)
    expect(await metric('apprentice_execution_wait_seconds_sum')).toBe(7)
    expect(await metric('apprentice_execution_wait_seconds_bucket{le="5"}')).toBe(1)
  })
})

/** Keeps the first phone busy until the returned function is called. */
async function keepBusy(pool: Pool, request: { actions: readonly object[] }): Promise<() => void> {
  const free = pool.phone.clock.hold()
  await pool.queue({ ...request, on: pool.phone })
  await eventually(
    () => pool.phone.clock.busy,
    (busy) => busy === 1,
  )
  return free
}
