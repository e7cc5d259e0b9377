import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { AccessToken } from '@apprentice/contracts/admin/tokens.ts'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { createHome, runProgram, serve } from './program.ts'

interface Report {
  ok: boolean
  checks: { id: string; status: string; summary: string }[]
}

async function doctor(home: string): Promise<Report & { code: number | null }> {
  const { code, stdout } = await runProgram(['doctor', '--json'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  return { code, ...(JSON.parse(stdout) as Report) }
}

const readStatus = (report: Report, id: string) => report.checks.find((check) => check.id === id)?.status

test('doctor passes for a home in use, and names the process that uses it', async () => {
  const home = createHome()
  const daemon = await serve(home)
  const report = await doctor(home)
  expect([report.code, report.ok]).toEqual([0, true])
  expect(report.checks.map(({ id }) => id)).toEqual([
    'node.version',
    'config',
    'home',
    'lock',
    'port',
    'database',
    'migrations',
    'mirrors',
    'adb',
    'phone.pictures',
    'skills.containment',
    'scenes',
    'scenes.browser',
    'host.agent-skills.staleness',
  ])
  expect(report.checks.find(({ id }) => id === 'lock')?.summary).toContain(String(daemon.child.pid))
  const readable = await runProgram(['doctor'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect(readable.stdout).toContain('No check failed.')
})

test('doctor fails on a damaged database and on a token that other users can read', async () => {
  const home = createHome()
  mkdirSync(join(home, 'secrets'))
  writeFileSync(join(home, 'secrets', 'admin.token'), 'x')
  chmodSync(join(home, 'secrets', 'admin.token'), 0o644)
  writeFileSync(join(home, 'apprentice.db'), 'not a database at all, but long enough to be read as one')
  const report = await doctor(home)
  expect([report.code, readStatus(report, 'home'), readStatus(report, 'database')]).toEqual([1, 'fail', 'fail'])
})

function createUnwritableHome(): string {
  const file = join(createHome(), 'file')
  writeFileSync(file, '')
  return join(file, 'home')
}

function createFileHome(): string {
  const file = join(createHome(), 'file')
  writeFileSync(file, '')
  return file
}

function createNewerHome(): string {
  const home = createHome()
  const db = new Database(join(home, 'apprentice.db'))
  db.exec('CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT, applied_at TEXT)')
  db.exec("INSERT INTO migrations VALUES (9999, '9999_future', '')")
  db.close()
  return home
}

function createLoopHome(): string {
  const home = join(createHome(), 'loop')
  symlinkSync(home, home)
  return home
}

function createHomeWith(path: string, content: string | null): string {
  const home = createHome()
  mkdirSync(join(home, path, '..'), { recursive: true })
  if (content === null) mkdirSync(join(home, path), { mode: 0o700 })
  else writeFileSync(join(home, path), content)
  return home
}

/** The first half of a database that was in use. */
function createTruncatedHome(): string {
  const home = createHome()
  const file = join(home, 'apprentice.db')
  const db = new Database(file)
  db.exec('CREATE TABLE t (x TEXT)')
  db.exec(`INSERT INTO t VALUES ('${'x'.repeat(100_000)}')`)
  db.close()
  truncateSync(file, statSync(file).size / 2)
  return home
}

test.each([
  ['a home below a file', 'home', createUnwritableHome],
  ['a home that is a file', 'home', createFileHome],
  ['a home that cannot be reached', 'home', createLoopHome],
  ['settings that are no JSON', 'config', () => createHomeWith('settings.json', '{"limits": ')],
  ['settings that are a folder', 'config', () => createHomeWith('settings.json', null)],
  ['a token that cannot be read', 'home', () => createHomeWith('secrets/admin.token', null)],
  ['a key that cannot be read', 'home', () => createHomeWith('secrets/outputs.key', null)],
  ['a truncated database', 'database', createTruncatedHome],
  ['a database that is a folder', 'database', () => createHomeWith('apprentice.db', null)],
  ['a memory of the database that is no JSON', 'database', () => createHomeWith('generation.json', '{')],
  ['a database of a newer program', 'migrations', createNewerHome],
])('doctor fails on %s, in one line and without a stack', async (_name, id, create) => {
  const env = { APPRENTICE_HOME: create(), APPRENTICE_PORT: '0' }
  const { code, stdout, stderr } = await runProgram(['doctor', '--json'], env)
  const report = JSON.parse(stdout) as Report
  expect([code, stderr, report.ok, readStatus(report, id)]).toEqual([1, '', false, 'fail'])
  for (const { summary } of report.checks) expect(summary).toMatch(/^(?!.*\bat .*:\d+:\d+).+$/)
})

test('doctor fails if real phones are to be used and adb cannot be executed', async () => {
  const folder = createHome()
  writeFileSync(join(folder, 'adb'), '#!/bin/sh\n', { mode: 0o644 })
  const env = { APPRENTICE_HOME: createHome(), APPRENTICE_PORT: '0', PATH: folder }
  const usual = await runProgram(['doctor', '--json'], env)
  expect([usual.code, readStatus(JSON.parse(usual.stdout) as Report, 'adb')]).toEqual([0, 'warn'])
  const real = await runProgram(['doctor', '--json'], { ...env, APPRENTICE_PHONE: 'adb' })
  const report = JSON.parse(real.stdout) as Report
  expect([real.code, real.stderr, readStatus(report, 'adb')]).toEqual([1, '', 'fail'])
  expect(report.checks.find((check) => check.id === 'adb')?.summary).toContain('cannot be executed')
})

test('doctor fails if another program listens where the daemon would', async () => {
  const other = createServer()
  onTestFinished(() => void other.close())
  await once(other.listen(0, '127.0.0.1'), 'listening')
  const { port } = other.address() as AddressInfo
  const env = { APPRENTICE_HOME: createHome(), APPRENTICE_PORT: String(port) }
  const { code, stdout } = await runProgram(['doctor', '--json'], env)
  expect([code, readStatus(JSON.parse(stdout) as Report, 'port')]).toEqual([1, 'fail'])
})

test('doctor warns about a projected file that was changed by hand', async () => {
  const home = createHome()
  const token = 'a-token-for-this-test-only'
  const daemon = await serve(home, { APPRENTICE_TOKEN: token })
  await fetch(`${daemon.url}/api/categories`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Work' }),
  })
  // A start compares every file in the background, and a stop does not wait for that.
  const readProjectionStatus = async () => readStatus(await doctor(home), 'mirrors')
  await expect.poll(readProjectionStatus, { timeout: 20_000, interval: 500 }).toBe('pass')
  await daemon.stop()
  writeFileSync(join(home, 'system', 'categories', 'categories_current.json'), '[]')
  expect(readStatus(await doctor(home), 'mirrors')).toBe('warn')
})

test('a backup taken while the daemon runs is restored to another home', async () => {
  const home = createHome()
  const daemon = await serve(home)
  const made = await runProgram(['token', 'create', 'ann', '--json', '--url', daemon.url], {
    APPRENTICE_HOME: home,
  })
  const { secret } = JSON.parse(made.stdout) as { secret: string }
  const saved = createHome()
  rmSync(saved, { recursive: true })
  const backup = await runProgram(['backup', saved], { APPRENTICE_HOME: home })
  expect([backup.code, backup.stderr]).toEqual([0, ''])
  const refused = await runProgram(['restore', saved], { APPRENTICE_HOME: home })
  expect([refused.code, refused.stdout]).toEqual([75, ''])
  await daemon.stop()

  const target = createHome()
  const restored = await runProgram(['restore', saved], { APPRENTICE_HOME: target })
  expect([restored.code, restored.stderr]).toEqual([0, ''])
  const again = await serve(target)
  const reply = await fetch(`${again.url}/api/learn/sessions`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  expect(reply.status).toBe(200)
  const twice = await runProgram(['backup', saved], { APPRENTICE_HOME: home })
  expect([twice.code, twice.stderr]).toEqual([1, 'apprentice: The backup folder must be empty or new.\n'])
})

/** Commands of a client, and a daemon in this process. */
async function startClient() {
  const daemon = await startDaemon()
  const { url } = await daemon.listen()
  const env = { APPRENTICE_HOME: daemon.home, APPRENTICE_TOKEN: adminToken }
  return { url, home: daemon.home, cli: (...args: string[]) => runProgram([...args, '--url', url], env) }
}

test('tokens are created, listed and revoked, and a login link works', async () => {
  const { cli, url } = await startClient()
  const made = await cli('token', 'create', 'ann', '--privilege', 'read', '--no-ability-tools')
  const [secret = ''] = made.stdout.split('\n')
  const id = /revoke ([0-9a-f-]{36})/.exec(made.stdout)?.[1] ?? ''
  expect((await cli('token', 'list')).stdout).toContain('ann')
  const hasTools = async () => {
    const listed = JSON.parse((await cli('token', 'list', '--json')).stdout) as { tokens: AccessToken[] }
    return listed.tokens.find(({ token_id }) => token_id === id)?.ability_tools
  }
  expect(await hasTools()).toBe(false)
  expect((await cli('token', 'set', id, '--ability-tools', 'on')).code).toBe(0)
  expect(await hasTools()).toBe(true)
  const ask = () => fetch(`${url}/api/learn/sessions`, { headers: { authorization: `Bearer ${secret}` } })
  expect((await ask()).status).toBe(200)
  expect((await cli('token', 'revoke', id)).code).toBe(0)
  expect((await ask()).status).toBe(401)
  const link = (await cli('token', 'login')).stdout.trim()
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303)
  const refused = await cli('token', 'revoke', id)
  expect([refused.code, refused.stderr]).toEqual([1, 'apprentice: No active token has this id. (TOKEN_NOT_FOUND)\n'])
})

test('logins are listed and ended', async () => {
  const { cli, url } = await startClient()
  const link = (await cli('token', 'login')).stdout.trim()
  const entered = await fetch(link, { redirect: 'manual' })
  const cookie = entered.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const ask = async () => (await fetch(`${url}/api/learn/sessions`, { headers: { cookie } })).status
  expect(await ask()).toBe(200)
  const [id = ''] = /[0-9a-f-]{36}/.exec((await cli('logins', 'list')).stdout) ?? []
  expect((await cli('logins', 'end', id)).code).toBe(0)
  expect(await ask()).toBe(401)
  const refused = await cli('logins', 'end', id)
  expect([refused.code, refused.stderr]).toEqual([
    1,
    'apprentice: You have no active login with this id. (LOGIN_NOT_FOUND)\n',
  ])
})

test('doctor reads the screen of a phone through the running daemon', async () => {
  const home = createHome()
  const { url } = await serve(home)
  const env = { APPRENTICE_HOME: home, APPRENTICE_PORT: new URL(url).port }
  const read = async (...args: string[]) => {
    const { stdout } = await runProgram(['doctor', '--json', ...args], env)
    const { checks } = JSON.parse(stdout) as { checks: { id: string; status: string }[] }
    return checks.filter(({ id }) => id.startsWith('device')).map(({ id, status }) => `${id} ${status}`)
  }
  expect(await read('--device')).toEqual([
    'device pass',
    'device.screen pass',
    'device.source pass',
    'device.picture pass',
  ])
  expect(await read('--device', 'no-such-phone')).toEqual(['device fail'])
  expect(await read()).toEqual([])
})

test('policy profiles are set from a file, assigned and shown', async () => {
  const { cli, home } = await startClient()
  const file = join(home, 'guest.json')
  writeFileSync(file, JSON.stringify({ deny_packages: ['org.shop'] }))
  expect((await cli('policy', 'set', 'guest', file)).code).toBe(0)
  expect((await cli('policy', 'assign', 'guest', '--for-token', 'bootstrap')).code).toBe(0)
  expect((await cli('policy', 'list')).stdout).toMatch(
    /guest +deny_packages=\["org\.shop"\][^]*token +bootstrap +guest/,
  )
  const refused = await cli('policy', 'remove', 'guest')
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('(POLICY_PROFILE_IN_USE)')])
})

test('without a daemon a command tells how to start one', async () => {
  const gone = await serve(createHome())
  await gone.stop()
  const refused = await runProgram(['token', 'list', '--url', gone.url], {
    APPRENTICE_HOME: createHome(),
  })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toMatch(/Start one with `(npx )?apprentice serve`\.\n$/)
})
