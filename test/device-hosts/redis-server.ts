import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findProgram } from '../../src/setup/system-packages.mjs'
import { findFreePort } from '../kit/phone-of-the-run.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'

/** Whether Redis is installed. Suites that need it are skipped otherwise. */
export const redisAvailable = findProgram('redis-server') !== undefined

export interface RedisServer {
  readonly port: number
  readonly url: string
  /** Ends the server at once. What it had confirmed is in its log. */
  kill(): Promise<void>
  /** Starts it again on the same data. */
  start(): Promise<void>
  set(name: string, value: string): Promise<unknown>
}

/** A Redis of this test, which writes each change to the disk before it confirms it. */
export async function startRedisServer(whenOver: WhenOver): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'apprentice-redis-'))
  const port = await findFreePort()
  let child: ChildProcess | undefined
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const start = async () => {
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction']
    child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...durable], {
      stdio: 'ignore',
    })
    await waitUntilReady(port)
  }
  whenOver(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  const set = async (name: string, value: string) => {
    const redis = new Redis(port, '127.0.0.1')
    await redis.config('SET', name, value)
    redis.disconnect()
  }
  return { port, url: `redis://127.0.0.1:${port}`, kill, start, set }
}

async function waitUntilReady(port: number): Promise<void> {
  const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null, retryStrategy: () => 20 })
  redis.on('error', () => {})
  await redis.ping()
  redis.disconnect()
}
