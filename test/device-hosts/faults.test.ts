import { expect, test, vi } from 'vitest'
import { endlessWait, sleepStep, tapMark } from '../devices/pool/pool.ts'
import { type FaultRig, type RigHost, type RigPhone, startFaultRig } from './fault-rig.ts'
import { redisAvailable } from './redis-server.ts'

/** Begins an execution that has tapped once and then waits, and one behind it in the queue. */
async function beginWaiting(rig: FaultRig, phone: RigPhone) {
  const running = await rig.send(phone.serial, [tapMark(0), endlessWait, tapMark(1)])
  const queued = await rig.send(phone.serial, [tapMark(2)])
  await vi.waitUntil(() => phone.order().length === 1, { timeout: 30_000 })
  await vi.waitUntil(async () => (await rig.get(running.execution_id)).completed_steps === 1, { timeout: 30_000 })
  return { running: running.execution_id, queued: queued.execution_id }
}

function only(rig: FaultRig): { host: RigHost; phone: RigPhone } {
  const [host] = rig.hosts
  const [phone] = host?.phones ?? []
  if (host === undefined || phone === undefined) throw new Error('The rig has no host with a phone.')
  return { host, phone }
}

async function startOne() {
  const rig = await startFaultRig({})
  const { host, phone } = only(rig)
  host.start()
  await rig.waitForState(phone.serial, 'device')
  return { rig, host, phone }
}

const INTERRUPTED = {
  state: 'interrupted',
  completed_steps: 1,
  envelope: { status: 'failed', errorCode: 'EXECUTION_INTERRUPTED', stepResults: [{ id: 'mark-0', success: true }] },
}

async function expectUsable(rig: FaultRig, phone: RigPhone, name: number): Promise<void> {
  await rig.waitForState(phone.serial, 'device')
  const next = await rig.send(phone.serial, [tapMark(name)])
  expect(await rig.end(next.execution_id)).toMatchObject({ state: 'succeeded' })
}

test.skipIf(!redisAvailable)(
  'an execution on a host that is killed is interrupted and not repeated; the device is usable with the next host',
  async () => {
    const { rig, host, phone } = await startOne()
    const { running } = await beginWaiting(rig, phone)
    await host.kill()
    expect(await rig.end(running)).toMatchObject(INTERRUPTED)
    await rig.waitForState(phone.serial, 'gone')
    host.start()
    await expectUsable(rig, phone, 3)
    expect(phone.order().filter((name) => name === '0')).toHaveLength(1)
    expect(phone.order()).not.toContain('1')
  },
  120_000,
)

test.skipIf(!redisAvailable)(
  'a host that froze beyond its time and wakes acts no more for what it ran',
  async () => {
    const { rig, host, phone } = await startOne()
    const waits = [tapMark(0), sleepStep(4000), tapMark(1), tapMark(4)]
    const running = await rig.send(phone.serial, waits)
    await vi.waitUntil(() => phone.order().length === 1, { timeout: 30_000 })
    host.signal('SIGSTOP')
    expect(await rig.end(running.execution_id)).toMatchObject({ state: 'interrupted' })
    host.signal('SIGCONT')
    await expectUsable(rig, phone, 3)
    // The sleep of the first execution is over by now; its taps would have come before this one or come now.
    await expectUsable(rig, phone, 5)
    expect(phone.order()).toEqual(['0', '3', '5'])
  },
  120_000,
)

test.skipIf(!redisAvailable)(
  'a host whose network is cut cannot act, and comes back when it is mended',
  async () => {
    const { rig, host, phone } = await startOne()
    const running = await rig.send(phone.serial, [tapMark(0), sleepStep(4000), tapMark(1)])
    await vi.waitUntil(() => phone.order().length === 1, { timeout: 30_000 })
    host.network.cut()
    expect(await rig.end(running.execution_id)).toMatchObject({ state: 'interrupted' })
    await rig.waitForState(phone.serial, 'gone')
    host.network.mend()
    await expectUsable(rig, phone, 3)
    expect(phone.order()).toEqual(['0', '3'])
  },
  120_000,
)

test.skipIf(!redisAvailable)(
  'Redis that is killed and started on its log loses nothing of what runs',
  async () => {
    const { rig, phone } = await startOne()
    const running = await rig.send(phone.serial, [tapMark(0), sleepStep(2500), tapMark(1)])
    const queued = await rig.send(phone.serial, [tapMark(2)])
    await vi.waitUntil(() => phone.order().length === 1, { timeout: 30_000 })
    await rig.redis.kill()
    await rig.redis.start()
    expect(await rig.end(running.execution_id)).toMatchObject({ state: 'succeeded', completed_steps: 3 })
    expect(await rig.end(queued.execution_id)).toMatchObject({ state: 'succeeded' })
    expect(phone.order()).toEqual(['0', '1', '2'])
  },
  120_000,
)

test.skipIf(!redisAvailable)(
  'a daemon that is killed finds its execution interrupted and runs what was queued, on the same host',
  async () => {
    const { rig, phone } = await startOne()
    const { running, queued } = await beginWaiting(rig, phone)
    await rig.killDaemon()
    await rig.serve()
    expect(await rig.end(running)).toMatchObject(INTERRUPTED)
    await rig.waitForState(phone.serial, 'device')
    const ended = await rig.end(queued)
    // The host may take longer to come back than an absent one is waited for.
    expect(['succeeded', 'failed']).toContain(ended.state)
    await expectUsable(rig, phone, 3)
    expect(phone.order()).toEqual(ended.state === 'succeeded' ? ['0', '2', '3'] : ['0', '3'])
  },
  120_000,
)
