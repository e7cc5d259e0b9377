import { hash } from 'node:crypto'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Device } from '@apprentice/contracts/devices/device.ts'
import { createHost, type DeviceHost as HostView } from '@apprentice/contracts/devices/hosts.ts'
import type { ExecutionRecord } from '@apprentice/contracts/devices/executions.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { createPhones, endlessWait, MARKS, payload, tapMark } from '../devices/pool/pool.ts'
import { startDaemon } from '../kit/daemon.ts'
import { startHost } from '../kit/hosted-phone.ts'
import { redisAvailable, startRedisServer } from './redis-server.ts'

const LOST_AFTER_MS = 6000
const PATIENCE = { timeout: 60_000 }

/** A daemon, and a host in the same process with phones of its own. */
async function startHosted(count = 1) {
  const redis = await startRedisServer(onTestFinished)
  const address = { url: redis.url, prefix: 'test' }
  const daemon = await startDaemon({
    config: { redis: address },
    settings: { hosts: { lost_after_ms: LOST_AFTER_MS } },
  })
  const { url, call } = await daemon.listen()
  const { host, secret } = await call(createHost, { body: { name: 'lab' } })
  const created = await createPhones(count)
  const face = await startAdbServer({ hosts: created.map(({ phone }) => phone) })
  const server = { host: '127.0.0.1', port: face.port }
  const start = (token = secret) => startHost({ url, token, redis: address, server })
  onTestFinished(() => face.close())
  const phones = created.map(({ phone, clock }) => ({
    phone,
    clock,
    serial: `lab::${phone.serial}`,
    order: () => phone.state(MARKS).saved['order'] as readonly string[],
  }))
  const device = async (serial: string) => {
    const { devices } = (await daemon.get('/api/devices')).json<{ devices: Device[] }>()
    return devices.find((one) => one.serial === serial)
  }
  return {
    redis,
    daemon,
    host,
    secret,
    phones,
    start,
    device,
    waitForState: (serial: string, state: string) =>
      vi.waitUntil(async () => (await device(serial))?.state === state, PATIENCE),
    execute: async (serial: string, actions: readonly object[], more: object = {}) => {
      const body = { execution: payload({ actions }), serial, wait_ms: 20_000, ...more }
      return (await daemon.post('/api/executions', body)).json<{ execution: ExecutionRecord }>().execution
    },
    get: async (id: string) =>
      (await daemon.get(`/api/executions/${id}`)).json<{ execution: ExecutionRecord }>().execution,
    hosts: async () => (await daemon.get('/api/hosts')).json<{ enabled: boolean; hosts: HostView[] }>(),
  }
}

test.skipIf(!redisAvailable)('a phone of a host is used like one of this machine', async () => {
  const rig = await startHosted()
  const [phone] = rig.phones
  if (phone === undefined) throw new Error('no phone')
  expect((await rig.hosts()).hosts).toMatchObject([{ name: 'lab', connected: false, serials: [] }])
  rig.start()
  await rig.waitForState(phone.serial, 'device')
  expect(await rig.hosts()).toMatchObject({
    enabled: true,
    hosts: [{ name: 'lab', connected: true, version: '1.0.0', serials: [phone.serial] }],
  })

  const execution = await rig.execute(phone.serial, [tapMark(1), tapMark(2)])
  expect(execution).toMatchObject({ state: 'succeeded', completed_steps: 2, envelope: { status: 'success' } })
  expect(phone.order()).toEqual(['1', '2'])

  const snapshot = await rig.daemon.post(`/api/devices/${phone.serial}/snapshot`, { include_xml: true })
  expect(snapshot.json()).toMatchObject({ snapshot: { serial: phone.serial } })
  expect(snapshot.json<{ xml: string }>().xml).toContain('Mark 1')
  const screenshot = await rig.daemon.post(`/api/devices/${phone.serial}/screenshot`, {})
  expect(screenshot.statusCode).toBe(201)
  const picture = await rig.daemon.get(screenshot.json<{ screenshot: { url: string } }>().screenshot.url)
  expect(picture.rawPayload.subarray(1, 4).toString()).toBe('PNG')
  await vi.waitUntil(async () => (await rig.device(phone.serial))?.facts.model !== undefined, PATIENCE)
  expect((await rig.device(phone.serial))?.simulated).toBe(true)
})

test.skipIf(!redisAvailable)('a running execution is cancelled in the middle, and the next one runs', async () => {
  const rig = await startHosted()
  const [phone] = rig.phones
  if (phone === undefined) throw new Error('no phone')
  rig.start()
  await rig.waitForState(phone.serial, 'device')
  const running = await rig.execute(phone.serial, [tapMark(1), endlessWait, tapMark(2)], { wait_ms: 0 })
  await vi.waitUntil(() => phone.order().length === 1, PATIENCE)
  await rig.daemon.post(`/api/executions/${running.execution_id}/cancel`, {})
  const next = await rig.execute(phone.serial, [tapMark(3)])
  expect(next.state).toBe('succeeded')
  const ended = (await rig.daemon.get(`/api/executions/${running.execution_id}`)).json<{ execution: ExecutionRecord }>()
  expect(ended.execution.state).toBe('cancelled')
  expect(phone.order()).toEqual(['1', '3'])
})

test.skipIf(!redisAvailable)(
  'an execution that the host does not take is interrupted, and the next one runs',
  async () => {
    const rig = await startHosted()
    const [phone] = rig.phones
    if (phone === undefined) throw new Error('no phone')
    rig.start()
    await rig.waitForState(phone.serial, 'device')
    await rig.execute(phone.serial, [tapMark(1)])
    const redis = new Redis(rig.redis.url)
    onTestFinished(() => redis.disconnect())
    // As when the reply of Redis to the host was lost: the job counts as taken, and no host has it.
    const [meta = ''] = await redis.keys('test:queues:*:meta')
    const queue = new Queue(meta.split(':').at(-2) ?? '', { connection: redis, prefix: 'test:queues' })
    await queue.pause()
    const { execution_id } = await rig.execute(phone.serial, [tapMark(2)], { wait_ms: 0 })
    const list = (name: string) => meta.replace(/meta$/, name)
    await vi.waitUntil(() => redis.lmove(list('wait'), list('active'), 'LEFT', 'RIGHT'), PATIENCE)
    await queue.resume()
    const ended = () => rig.get(execution_id)
    await vi.waitUntil(async () => (await ended()).settled_at !== undefined, PATIENCE)
    expect(await ended()).toMatchObject({ state: 'interrupted', envelope: { errorCode: 'EXECUTION_INTERRUPTED' } })
    expect((await rig.execute(phone.serial, [tapMark(3)])).state).toBe('succeeded')
    expect(phone.order()).toEqual(['1', '3'])
  },
)

test.skipIf(!redisAvailable)(
  'nothing that passes through Redis can be read without the token of the host',
  async () => {
    const rig = await startHosted()
    const [phone] = rig.phones
    if (phone === undefined) throw new Error('no phone')
    const redis = new Redis(rig.redis.url)
    const monitor = await redis.monitor()
    const passed: string[] = []
    monitor.on('monitor', (_time: string, args: string[]) => passed.push(args.join(' ')))
    onTestFinished(() => {
      monitor.disconnect()
      redis.disconnect()
    })
    rig.start()
    await rig.waitForState(phone.serial, 'device')
    await rig.execute(phone.serial, [tapMark(1, 'the-secret-step')])
    await rig.daemon.post(`/api/devices/${phone.serial}/snapshot`, {})
    const text = passed.join('\n')
    expect(text).toContain('sealed')
    expect(phone.order()).toEqual(['1'])
    for (const word of ['the-secret-step', 'Mark 1', 'android-ui-automator', rig.secret])
      expect(text).not.toContain(word)
    expect(text).not.toContain(hash('sha256', rig.secret, 'hex'))
  },
)

test.skipIf(!redisAvailable)('a revoked host ends, what it ran is interrupted, and it gets nothing more', async () => {
  const rig = await startHosted()
  const [phone] = rig.phones
  if (phone === undefined) throw new Error('no phone')
  const { served } = rig.start()
  await rig.waitForState(phone.serial, 'device')
  const running = await rig.execute(phone.serial, [tapMark(1), endlessWait, tapMark(2)], { wait_ms: 0 })
  await vi.waitUntil(() => phone.order().length === 1, PATIENCE)
  expect((await rig.daemon.delete(`/api/hosts/${rig.host.host_id}`)).statusCode).toBe(200)
  await expect(served).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect((await rig.device(phone.serial))?.state).toBe('gone')
  await vi.waitUntil(async () => (await rig.get(running.execution_id)).settled_at !== undefined, PATIENCE)
  expect(await rig.get(running.execution_id)).toMatchObject({
    state: 'interrupted',
    envelope: { error: expect.stringContaining('revoked') as string },
  })
  expect(phone.order()).toEqual(['1'])
})

test.skipIf(!redisAvailable)(
  'another host sees none of the jobs, and a device that is away fails as an absent one',
  async () => {
    const rig = await startHosted()
    const [phone] = rig.phones
    if (phone === undefined) throw new Error('no phone')
    const { stop, served } = rig.start()
    await rig.waitForState(phone.serial, 'device')
    stop()
    await served
    await rig.waitForState(phone.serial, 'gone')
    // The other host is beside the same adb server, so that it could run the job.
    const other = (await rig.daemon.post('/api/hosts', { name: 'other' })).json<{ secret: string }>()
    rig.start(other.secret)
    await rig.waitForState(phone.serial.replace('lab', 'other'), 'device')
    const execution = await rig.execute(phone.serial, [tapMark(1)])
    expect(execution).toMatchObject({ state: 'failed', envelope: { errorCode: 'DEVICE_LOST' } })
    expect(phone.order()).toEqual([])
  },
)

test.skipIf(!redisAvailable)(
  'a capture on a device of a host keeps the screens before and after each step',
  async () => {
    const rig = await startHosted()
    const [phone] = rig.phones
    if (phone === undefined) throw new Error('no phone')
    rig.start()
    await rig.waitForState(phone.serial, 'device')
    const recording = await rig.daemon.post(`/api/devices/${phone.serial}/recordings`, { source: 'proxy' })
    expect(recording.statusCode, recording.body).toBe(201)
    const { recording_id } = recording.json<{ recording: { recording_id: string } }>().recording
    await rig.execute(phone.serial, [tapMark(4), tapMark(5)])
    const url = `/api/devices/${phone.serial}/recordings/${recording_id}`
    expect((await rig.daemon.post(`${url}/stop`, {})).statusCode).toBe(200)
    const lines = (await rig.daemon.get(`${url}/ndjson`)).body.trim().split('\n')
    const text = lines.join('\n')
    expect(text).toContain('Mark 4')
    expect(text).toContain('Mark 5')
    const touch = await rig.daemon.post(`/api/devices/${phone.serial}/recordings`, { source: 'touch' })
    expect(touch.json()).toMatchObject({ error: { code: 'RECORDING_START_FAILED' } })
  },
)
