import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { followStream, redisOptions } from '../../src/device-hosts/wire/redis.ts'
import { redisAvailable, startRedisServer } from './redis-server.ts'

/** Follows the stream `up` of a Redis of its own. */
async function follow() {
  const server = await startRedisServer(onTestFinished)
  const redis = new Redis(server.url, redisOptions)
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const seen: string[] = []
  const followed = (): Promise<void> =>
    followStream(redis, { key: 'up', signal: stop.signal, trim: false }, ({ text = '' }) => seen.push(text))
  return { server, redis, stop, seen, followed }
}

test.skipIf(!redisAvailable)('a stream that is no longer wanted ends also while Redis is away', async () => {
  const { server, redis, stop, seen, followed } = await follow()
  const ended = followed()
  await redis.xadd('up', '*', 'text', 'one')
  await vi.waitUntil(() => seen.length === 1)
  await server.kill()
  await vi.waitUntil(() => redis.status === 'reconnecting')
  // The connection of the stream has been lost for as long.
  await new Promise((resolve) => setTimeout(resolve, 300))
  stop.abort()
  await ended
  expect(seen).toEqual(['one'])
})

test.skipIf(!redisAvailable)('a stream goes on after an error of Redis and after its restart', async () => {
  const { server, redis, seen, followed } = await follow()
  await redis.set('up', 'not a stream')
  const ended = followed()
  await new Promise((resolve) => setTimeout(resolve, 300))
  await redis.del('up')
  await redis.xadd('up', '*', 'text', 'one')
  await vi.waitUntil(() => seen.length === 1)
  await server.kill()
  await server.start()
  await redis.xadd('up', '*', 'text', 'two')
  await vi.waitUntil(() => seen.length === 2, { timeout: 10_000 })
  expect(seen).toEqual(['one', 'two'])
  await expect(Promise.race([ended, Promise.resolve('going on')])).resolves.toBe('going on')
})
