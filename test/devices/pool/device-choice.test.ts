import { describe, expect, test } from 'vitest'
import { startDaemon } from '../../kit/daemon.ts'
import { poolKinds } from './pool-kinds.ts'
import { tapMark, payload, startPool } from './pool.ts'

test('an execution is refused and not stored when there is no device', async () => {
  const daemon = await startDaemon()
  const reply = await daemon.post('/api/executions', {
    execution: payload({ actions: [tapMark(1)] }),
  })
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'NO_DEVICES', retryable: false } })
  expect((await daemon.get('/api/executions')).json()).toMatchObject({ total: 0 })
})

test('the simulated phone is the default device and is reported as simulated', async () => {
  const daemon = await startDaemon({ config: { phone: 'simulated' } })
  const open = { id: 'open', type: 'open_app', params: { app: 'org.apprentice.climate' } }
  const reply = await daemon.post('/api/executions', {
    execution: payload({ actions: [open] }),
    wait_ms: 10_000,
  })
  expect(reply.json()).toMatchObject({ execution: { state: 'succeeded', serial: 'SIMULATED01' } })
  expect((await daemon.get('/api/devices')).json()).toMatchObject({
    devices: [{ serial: 'SIMULATED01', state: 'device', simulated: true }],
  })
})

describe.each(poolKinds)('over $name', (kind) => {
  test('a device must be named when there are several', async () => {
    const pool = await startPool(kind, 2)
    const vague = await pool.execute({ actions: [tapMark(1)] })
    expect(vague.status).toBe(400)
    expect(vague.error.code).toBe('MULTIPLE_DEVICES_DEVICE_ID_REQUIRED')
    const serials = pool.phones.map(({ serial }) => serial)
    expect((vague.error.details['devices'] as string[]).toSorted()).toEqual(serials.toSorted())
    const named = await pool.execute({ actions: [tapMark(1)], on: pool.phones[1] })
    expect(named.execution).toMatchObject({ state: 'succeeded', serial: serials[1] })
    expect(pool.phones.map(({ taps }) => taps())).toEqual([0, 1])
  })

  test('an unknown device is refused, and the connected ones are listed', async () => {
    const pool = await startPool(kind)
    const { status, error } = await pool.execute({ actions: [tapMark(1)], on: 'nobody' })
    expect([status, error.code]).toEqual([404, 'DEVICE_NOT_FOUND'])
    expect(error.details).toEqual({ connected: [pool.phone.serial] })
    expect(pool.phone.taps()).toBe(0)
  })

  test('the only device that is still connected is the default device', async () => {
    const pool = await startPool(kind, 2)
    const [remaining, lost] = pool.phones
    if (remaining === undefined || lost === undefined) throw new Error('two phones')
    await pool.rig.vanish(lost.phone)
    await pool.waitForState(lost, 'gone', 'offline')
    const { execution } = await pool.execute({ actions: [tapMark(1)] })
    expect(execution).toMatchObject({ state: 'succeeded', serial: remaining.serial })
  })
})
