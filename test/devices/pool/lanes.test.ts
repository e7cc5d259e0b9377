import { describe, expect, test } from 'vitest'
import { eventually } from '../driver/outcomes.ts'
import { rigKinds } from '../driver/rigs.ts'
import { look, mark, type Pool, startPool } from './pool.ts'
import { barrier } from './watched-clock.ts'

describe.each(rigKinds)('over $name', (kind) => {
  test('the higher priority goes first and never interrupts', async () => {
    const pool = await startPool(kind)
    const free = await busyWith(pool, { actions: [mark(0)] })
    const sent = [
      await pool.queue({ actions: [mark(1)], priority: -5 }),
      await pool.queue({ actions: [mark(2)] }),
      await pool.queue({ actions: [mark(3)], priority: 10 }),
      await pool.queue({ actions: [mark(4)] }),
    ]
    free()
    for (const { execution } of sent) await pool.end(execution.execution_id)
    expect(pool.phone.order()).toEqual(['0', '3', '2', '4', '1'])
  })

  test('principals take turns, however much one of them has queued', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const free = await busyWith(pool, { actions: [mark(0)] })
    const mine = []
    for (const name of [1, 2, 3]) mine.push(await pool.queue({ actions: [mark(name)] }))
    const theirs = []
    for (const name of [4, 5]) {
      theirs.push(await pool.queue({ actions: [mark(name)], token: other }))
    }
    free()
    for (const { execution } of mine) await pool.end(execution.execution_id)
    for (const { execution } of theirs) await pool.end(execution.execution_id, other)
    expect(pool.phone.order()).toEqual(['0', '4', '1', '5', '2', '3'])
  })

  test('four devices work at the same time, each on one thing only', async () => {
    const pool = await startPool(kind, 4)
    // No dump ends before all four phones are dumping: without overlap nothing would ever end.
    const meeting = barrier(4)
    for (const { clock } of pool.phones) clock.meet(meeting)
    const sent = pool.phones.flatMap((on) =>
      [1, 2, 3].map((name) => pool.execute({ actions: [mark(name), look], on })),
    )
    for (const { execution } of await Promise.all(sent)) {
      expect(execution.state).toBe('succeeded')
    }
    for (const { clock, order } of pool.phones) {
      expect(new Set(order())).toEqual(new Set(['1', '2', '3']))
      expect(order()).toHaveLength(3)
      expect(clock.mostBusy).toBe(1)
    }
  })

  test('a device that hangs keeps nobody else waiting', async () => {
    const pool = await startPool(kind, 2)
    const [stuck, well] = pool.phones
    const free = stuck?.clock.hold()
    const held = await pool.queue({ actions: [mark(1)], on: stuck })
    const behind = await pool.queue({ actions: [mark(2)], on: stuck })
    for (const name of [1, 2, 3]) {
      const { execution } = await pool.execute({ actions: [mark(name)], on: well })
      expect(execution.state).toBe('succeeded')
    }
    expect((await pool.get(held.execution.execution_id)).execution.state).toBe('running')
    expect((await pool.get(behind.execution.execution_id)).execution.state).toBe('queued')
    expect(stuck?.taps()).toBe(0)
    free?.()
    expect((await pool.end(behind.execution.execution_id)).state).toBe('succeeded')
    expect(stuck?.order()).toEqual(['1', '2'])
  })

  test('looks and executions of one device never overlap', async () => {
    const pool = await startPool(kind)
    const { serial, clock } = pool.phone
    const asked = Array.from({ length: 6 }, async (_, at) => {
      const snapshot = pool.daemon.post(`/api/devices/${serial}/snapshot`, {})
      const screenshot = pool.daemon.post(`/api/devices/${serial}/screenshot`, {})
      const { execution } = await pool.execute({ actions: [mark(at), look] })
      return [execution.state, (await snapshot).statusCode, (await screenshot).statusCode]
    })
    for (const outcome of await Promise.all(asked)) expect(outcome).toEqual(['succeeded', 200, 201])
    expect(clock.begun).toBeGreaterThanOrEqual(30)
    expect(clock.mostBusy).toBe(1)
  })

  test('a look that waits for its turn until its time is over gives up, and its place is free', async () => {
    const pool = await startPool(kind)
    const { serial } = pool.phone
    const free = await busyWith(pool, { actions: [mark(0)] })
    const url = `/api/devices/${serial}/snapshot`
    const late = await pool.daemon.post(url, { timeout_ms: 1000 })
    expect(late.statusCode).toBe(504)
    expect(late.json()).toMatchObject({ error: { code: 'DEVICE_TIMEOUT', retryable: true } })
    expect(pool.daemon.system.jobs.depthOf(`device/${serial}`)).toBe(1)
    free()
    const reply = await pool.daemon.post(url, { include_xml: true })
    expect(reply.statusCode).toBe(200)
    expect(reply.json<{ xml: string }>().xml).toContain('Mark 1')
    expect(pool.phone.order()).toEqual(['0'])
  })

  test('the metrics tell how deep each lane is and how long executions waited', async () => {
    const pool = await startPool(kind, 2)
    const [busy, idle] = pool.phones
    const metric = async (line: string) => {
      const { body } = await pool.daemon.get('/metrics')
      const found = body.split('\n').find((one) => one.startsWith(`${line} `))
      return found === undefined ? undefined : Number(found.slice(line.length + 1))
    }
    const free = await busyWith(pool, { actions: [mark(0)] })
    const second = await pool.queue({ actions: [mark(1)], on: busy })
    await pool.queue({ actions: [mark(2)], on: busy })
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

/** The first phone is in the middle of something until the answer is called. */
async function busyWith(pool: Pool, ask: { actions: readonly object[] }): Promise<() => void> {
  const free = pool.phone.clock.hold()
  await pool.queue({ ...ask, on: pool.phone })
  await eventually(
    () => pool.phone.clock.busy,
    (busy) => busy === 1,
  )
  return free
}
