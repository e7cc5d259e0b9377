import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aHome, run, serve } from './program.ts'

interface Examined {
  ok: boolean
  checks: { id: string; status: string; summary: string }[]
}

async function doctor(home: string): Promise<Examined & { code: number | null }> {
  const { code, stdout } = await run(['doctor', '--json'], { APPRENTICE_HOME: home })
  return { code, ...(JSON.parse(stdout) as Examined) }
}

const statusOf = (examined: Examined, id: string) =>
  examined.checks.find((check) => check.id === id)?.status

test('doctor finds nothing wrong with a home in use, and says who uses it', async () => {
  const home = aHome()
  const daemon = await serve(home)
  const examined = await doctor(home)
  expect([examined.code, examined.ok]).toEqual([0, true])
  expect(examined.checks.map(({ id }) => id)).toEqual([
    'node.version',
    'config',
    'home',
    'lock',
    'database',
    'migrations',
    'mirrors',
    'adb',
    'chromium',
    'host.agent-skills.staleness',
  ])
  expect(examined.checks.find(({ id }) => id === 'lock')?.summary).toContain(
    String(daemon.child.pid),
  )
  const readable = await run(['doctor'], { APPRENTICE_HOME: home })
  expect(readable.stdout).toContain('Nothing stands in the way.')
})

test('doctor fails on a damaged database and on a token others can read', async () => {
  const home = aHome()
  mkdirSync(join(home, 'secrets'))
  writeFileSync(join(home, 'secrets', 'admin.token'), 'x')
  chmodSync(join(home, 'secrets', 'admin.token'), 0o644)
  writeFileSync(
    join(home, 'apprentice.db'),
    'not a database at all, but long enough to be read as one',
  )
  const examined = await doctor(home)
  expect([examined.code, statusOf(examined, 'home'), statusOf(examined, 'database')]).toEqual([
    1,
    'fail',
    'fail',
  ])
})

test('doctor sees a mirror that was changed by hand', async () => {
  const home = aHome()
  const token = 'a-token-for-this-test-only'
  const daemon = await serve(home, { APPRENTICE_TOKEN: token })
  await fetch(`${daemon.url}/api/categories`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Work' }),
  })
  // A start looks at every file in the background; a stop does not wait for that.
  const mirrors = async () => statusOf(await doctor(home), 'mirrors')
  await expect.poll(mirrors, { timeout: 20_000, interval: 500 }).toBe('pass')
  await daemon.stop()
  writeFileSync(join(home, 'system', 'categories', 'categories_current.json'), '[]')
  expect(statusOf(await doctor(home), 'mirrors')).toBe('warn')
})

test('a backup taken while the daemon writes comes alive in another home', async () => {
  const home = aHome()
  const daemon = await serve(home)
  const made = await run(['token', 'create', 'ann', '--json', '--url', daemon.url], {
    APPRENTICE_HOME: home,
  })
  const { secret } = JSON.parse(made.stdout) as { secret: string }
  const saved = aHome()
  rmSync(saved, { recursive: true })
  const backup = await run(['backup', saved], { APPRENTICE_HOME: home })
  expect([backup.code, backup.stderr]).toEqual([0, ''])
  await daemon.stop()

  const again = await serve(saved)
  const reply = await fetch(`${again.url}/api/learn/sessions`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  expect(reply.status).toBe(200)
  const twice = await run(['backup', saved], { APPRENTICE_HOME: home })
  expect([twice.code, twice.stderr]).toEqual([
    1,
    'apprentice: The backup folder must be empty or new.\n',
  ])
})

test('tokens are issued, listed and revoked from the command line; a login link opens', async () => {
  const home = aHome()
  const { url } = await serve(home)
  const cli = (...args: string[]) => run([...args, '--url', url], { APPRENTICE_HOME: home })
  const made = await cli('token', 'create', 'ann', '--privilege', 'read')
  const [secret = ''] = made.stdout.split('\n')
  const id = /revoke ([0-9a-f-]{36})/.exec(made.stdout)?.[1] ?? ''
  expect((await cli('token', 'list')).stdout).toContain('ann')
  const ask = () =>
    fetch(`${url}/api/learn/sessions`, { headers: { authorization: `Bearer ${secret}` } })
  expect((await ask()).status).toBe(200)
  expect((await cli('token', 'revoke', id)).code).toBe(0)
  expect((await ask()).status).toBe(401)
  const link = (await cli('token', 'login')).stdout.trim()
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303)
  const refused = await cli('token', 'revoke', id)
  expect([refused.code, refused.stderr]).toEqual([
    1,
    'apprentice: No such token in force. (TOKEN_NOT_FOUND)\n',
  ])
})

test('without a daemon a command says how to start one', async () => {
  const gone = await serve(aHome())
  await gone.stop()
  const refused = await run(['token', 'list', '--url', gone.url], {
    APPRENTICE_HOME: aHome(),
  })
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain('npm start')
})
