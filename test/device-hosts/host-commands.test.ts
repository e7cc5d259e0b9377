import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createHome, runProgram, serve, startProgram } from '../commands/program.ts'
import { redisAvailable, startRedisServer } from './redis-server.ts'

const TOKEN = 'host-commands-token-0123456789'

test.skipIf(!redisAvailable)(
  'a host is registered, listed, served and revoked on the command line',
  async () => {
    const redis = await startRedisServer(onTestFinished)
    const home = createHome()
    const shared = { APPRENTICE_HOME: home, APPRENTICE_TOKEN: TOKEN, APPRENTICE_REDIS: redis.url }
    const { url } = await serve(home, { APPRENTICE_TOKEN: TOKEN, APPRENTICE_REDIS: redis.url })
    const run = (...args: string[]) => runProgram([...args, '--url', url], shared)
    expect((await run('hosts')).stdout).toContain('No device host is registered.')
    const added = await run('hosts', 'add', 'lab')
    const secret = /aph_\S+/.exec(added.stdout)?.[0] ?? ''
    expect([added.code, secret.length > 40]).toEqual([0, true])
    const again = await run('hosts', 'add', 'lab')
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('HOST_NAME_IN_USE')])

    const env = { APPRENTICE_REDIS: redis.url, ADB_SERVER_SOCKET: 'tcp:127.0.0.1:9' }
    const wrong = await runProgram(['host', '--url', url], { ...env, APPRENTICE_HOST_TOKEN: `${secret}x` })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('UNAUTHENTICATED')])
    const bare = await runProgram(['host', '--url', url], { APPRENTICE_HOST_TOKEN: secret })
    expect([bare.code, bare.stderr]).toEqual([78, expect.stringContaining('APPRENTICE_REDIS')])
    const nameless = await runProgram(['host', '--url', url], env)
    expect([nameless.code, nameless.stderr]).toEqual([78, expect.stringContaining('APPRENTICE_HOST_TOKEN')])

    const host = startProgram(['host', '--url', url], { ...env, APPRENTICE_HOST_TOKEN: secret })
    await host.waitForOutput('"connected"')
    const listed = await run('hosts')
    expect(listed.stdout).toMatch(/lab +connected +0/)
    const [id = ''] = /[0-9a-f-]{36}/.exec(listed.stdout) ?? []
    expect((await run('hosts', 'revoke', id)).stdout).toBe('Revoked.\n')
    const ended = await host.ended
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('UNAUTHENTICATED')])
    expect(`${ended.stdout}${ended.stderr}`).not.toContain(secret)
    expect((await run('hosts')).stdout).toMatch(/lab +revoked/)
  },
  120_000,
)

test.skipIf(!redisAvailable)(
  'doctor checks how Redis is set, and says what to do',
  async () => {
    const redis = await startRedisServer(onTestFinished)
    const env = { APPRENTICE_HOME: createHome(), APPRENTICE_PORT: '0', APPRENTICE_REDIS: redis.url }
    const find = async () => {
      const { stdout } = await runProgram(['doctor', '--json'], env)
      const { checks } = JSON.parse(stdout) as { checks: { id: string; status: string; summary: string }[] }
      return checks.find(({ id }) => id === 'hosts.redis')
    }
    expect(await find()).toMatchObject({ status: 'pass' })
    await redis.set('appendfsync', 'everysec')
    expect(await find()).toMatchObject({
      status: 'warn',
      summary: expect.stringContaining('appendfsync is everysec') as string,
    })
    await redis.kill()
    expect(await find()).toMatchObject({
      status: 'fail',
      summary: expect.stringContaining('does not answer') as string,
    })
  },
  60_000,
)

test('without APPRENTICE_REDIS nothing of Redis is loaded or checked', async () => {
  const home = createHome()
  const { stdout } = await runProgram(['doctor', '--json'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect(stdout).not.toContain('hosts.redis')
  const block = join(home, 'block.cjs')
  writeFileSync(block, BLOCK)
  const env = { NODE_OPTIONS: `--require ${block}` }
  const daemon = await serve(home, env)
  expect((await fetch(`${daemon.url}/readyz`)).status).toBe(200)
  expect(await daemon.stop()).toBe(0)
  const refused = await runProgram(['serve'], {
    ...env,
    APPRENTICE_HOME: home,
    APPRENTICE_PORT: '0',
    APPRENTICE_PHONE: 'simulated',
    APPRENTICE_REDIS: 'redis://127.0.0.1:9',
  })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/loaded (?:bullmq|ioredis)/)])
}, 60_000)

/** Makes a program fail that loads what device hosts use. */
const BLOCK = `
const Module = require('node:module')
const load = Module._load
Module._load = function (name, ...rest) {
  if (name === 'bullmq' || name === 'ioredis') throw new Error('loaded ' + name)
  return load.call(this, name, ...rest)
}
`
