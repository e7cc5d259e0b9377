import { describe, expect, test } from 'vitest'
import type { DeviceLease } from '@apprentice/contracts/devices/device.ts'
import { poolKinds } from './pool-kinds.ts'
import { tapMark, type Pool, startPool } from './pool.ts'

const leasing = (pool: Pool) => {
  const base = `/api/devices/${pool.phone.serial}`
  return {
    take: (body: object = {}, token?: string) => pool.daemon.post(`${base}/lease`, body, token),
    release: (body: object = {}, token?: string) => pool.daemon.post(`${base}/lease/release`, body, token),
    snapshot: (token?: string) => pool.daemon.post(`${base}/snapshot`, {}, token),
    screenshot: (token?: string) => pool.daemon.post(`${base}/screenshot`, {}, token),
  }
}

describe.each(poolKinds)('over $name', (kind) => {
  test('the holder of a lease can use the device, and others are refused', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const { take, snapshot, screenshot } = leasing(pool)
    const taken = await take({ purpose: 'a demonstration', duration_ms: 60_000 })
    expect(taken.statusCode).toBe(201)
    expect(taken.json()).toMatchObject({
      owner_user_id: 'local',
      purpose: 'a demonstration',
      expires_at: '2026-03-01T12:01:00.000Z',
    })
    const count = pool.phone.clock.commandCount
    const refused = await pool.execute({ actions: [tapMark(1)], token: other })
    expect([refused.status, refused.error.code]).toEqual([423, 'DEVICE_LEASED'])
    expect(refused.error.details).toEqual({ expires_at: '2026-03-01T12:01:00.000Z' })
    for (const reply of [await snapshot(other), await screenshot(other), await take({}, other)]) {
      expect([reply.statusCode, reply.json<{ error: { code: string } }>().error.code]).toEqual([423, 'DEVICE_LEASED'])
    }
    expect(pool.phone.clock.commandCount).toBe(count)

    expect((await pool.execute({ actions: [tapMark(2)] })).execution.state).toBe('succeeded')
    expect((await snapshot()).statusCode).toBe(200)
    expect((await pool.device(pool.phone)).lease).toMatchObject({ owner_user_id: 'local' })
    expect(pool.phone.order()).toEqual(['2'])
  })

  test('a lease can be renewed by its holder and expires', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const { take } = leasing(pool)
    const first = (await take({ duration_ms: 60_000 })).json<DeviceLease>()
    pool.daemon.clock.advance(50_000)
    const renewed = (await take({ duration_ms: 60_000 })).json<DeviceLease>()
    expect(renewed).toMatchObject({
      lease_id: first.lease_id,
      created_at: first.created_at,
      expires_at: '2026-03-01T12:01:50.000Z',
    })
    pool.daemon.clock.advance(59_999)
    expect((await pool.execute({ actions: [tapMark(1)], token: other })).status).toBe(423)
    pool.daemon.clock.advance(1)
    expect((await pool.device(pool.phone)).lease).toBeUndefined()
    expect((await pool.execute({ actions: [tapMark(1)], token: other })).status).toBe(200)
    expect((await take({}, other)).statusCode).toBe(201)
  })

  test('a released device is free at once, and only the holder can release it', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const { take, release } = leasing(pool)
    const { lease_id } = (await take()).json<DeviceLease>()
    for (const reply of [
      await release({}, other),
      await release({ lease_id }, other),
      await release({ lease_id: '00000000-0000-4000-8000-000000000000' }),
    ]) {
      expect(reply.statusCode).toBe(404)
      expect(reply.json()).toMatchObject({ error: { code: 'LEASE_NOT_FOUND' } })
    }
    expect((await pool.execute({ actions: [tapMark(1)], token: other })).status).toBe(423)
    expect((await release({ lease_id })).json()).toEqual({ released: true })
    expect((await pool.execute({ actions: [tapMark(1)], token: other })).status).toBe(200)
    expect((await release()).statusCode).toBe(404)
  })

  test('queued executions of other users do not run on a leased device', async () => {
    const pool = await startPool(kind)
    const other = await pool.daemon.tokenFor('other')
    const { take } = leasing(pool)
    const free = pool.phone.clock.hold()
    const running = await pool.queue({ actions: [tapMark(1)], token: other })
    const waiting = await pool.queue({ actions: [tapMark(2)], token: other })
    await take()
    const own = await pool.queue({ actions: [tapMark(3)] })
    free()
    // It was already running and is not interrupted.
    expect((await pool.end(running.execution.execution_id, other)).state).toBe('succeeded')
    const refused = await pool.end(waiting.execution.execution_id, other)
    expect(refused).toMatchObject({ state: 'failed', completed_steps: 0 })
    expect(refused.envelope).toMatchObject({ status: 'failed', errorCode: 'DEVICE_LEASED' })
    expect((await pool.end(own.execution.execution_id)).state).toBe('succeeded')
    expect(pool.phone.order()).toEqual(['1', '3'])
  })

  test('an unknown device cannot be leased, released or read', async () => {
    const pool = await startPool(kind)
    for (const path of ['lease', 'lease/release', 'snapshot', 'screenshot']) {
      const reply = await pool.daemon.post(`/api/devices/nobody/${path}`, {})
      expect([path, reply.statusCode]).toEqual([path, 404])
      expect(reply.json()).toMatchObject({ error: { code: 'DEVICE_NOT_FOUND' } })
    }
  })
})
