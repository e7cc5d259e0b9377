import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { DeviceGate, GateClosed, GatedRunner } from '../../src/device-hosts/host/device-gate.ts'
import { createKeys } from '../../src/device-hosts/wire/keys.ts'
import { TransportFailure } from '../../src/devices/adb/transport-failure.ts'
import { redisAvailable, startRedisServer } from './redis-server.ts'

const LIMITS = { timeoutMs: 10_000 }

/** A gate on a real Redis before a device that only notes its commands. */
async function openGate() {
  const server = await startRedisServer(onTestFinished)
  const redis = new Redis(server.url, { maxRetriesPerRequest: null })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  const keys = createKeys('gates')
  const [epoch, gate] = [keys.epoch, keys.gate('connection', 'phone')]
  await redis.mset(epoch, 'daemon-1', gate, 'job-1')
  const sent: string[] = []
  const closed: GateClosed[] = []
  const device = {
    serial: 'phone',
    run: async (line: string) => {
      sent.push(line)
      return { exitCode: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) }
    },
  }
  const runner = new GatedRunner(
    device,
    new DeviceGate({
      redis,
      keys,
      connectionId: 'connection',
      epoch: 'daemon-1',
      serial: 'phone',
      fence: 'job-1',
      onClosed: (error) => closed.push(error),
    }),
  )
  return { server, redis, runner, sent, closed, epoch, gate }
}

test.skipIf(!redisAvailable)('each command passes only while the gate of its job is open', async () => {
  const { redis, runner, sent, closed, gate } = await openGate()
  await runner.run('first', LIMITS)
  await runner.run('second', LIMITS)
  await redis.set(gate, 'job-2')
  await expect(runner.run('third', LIMITS)).rejects.toBeInstanceOf(GateClosed)
  await redis.del(gate)
  await expect(runner.run('fourth', LIMITS)).rejects.toBeInstanceOf(GateClosed)
  expect(sent).toEqual(['first', 'second'])
  expect(closed).toHaveLength(2)
})

test.skipIf(!redisAvailable)('another daemon closes all gates, and while there is none a command waits', async () => {
  const { redis, runner, sent, epoch } = await openGate()
  await redis.del(epoch)
  await expect(runner.run('late', { timeoutMs: 400 })).rejects.toMatchObject({ kind: 'deadline' })
  const waiting = runner.run('waiting', LIMITS)
  await redis.set(epoch, 'daemon-1')
  await waiting
  await redis.set(epoch, 'daemon-2')
  await expect(runner.run('other', LIMITS)).rejects.toBeInstanceOf(GateClosed)
  expect(sent).toEqual(['waiting'])
})

test.skipIf(!redisAvailable)('without Redis no command is sent, and its time limit holds', async () => {
  const { server, runner, sent } = await openGate()
  await server.kill()
  await expect(runner.run('cut', { timeoutMs: 500 })).rejects.toBeInstanceOf(TransportFailure)
  await server.start()
  await runner.run('back', LIMITS)
  expect(sent).toEqual(['back'])
})
