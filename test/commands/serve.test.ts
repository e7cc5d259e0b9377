import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import { openStream } from '../live/sse-client.ts'
import { writeSkill } from '../skill-runs/skill-daemon.ts'
import { createHome, runProgram, serve } from './program.ts'

test('without a terminal the first line is `listening` with the url, and it holds no secret', async () => {
  const home = createHome()
  const daemon = await serve(home)
  expect(daemon.firstLine).toMatchObject({
    msg: 'listening',
    url: daemon.url,
    pid: daemon.child.pid,
  })
  expect(await (await fetch(`${daemon.url}/healthz`)).json()).toMatchObject({ status: 'ok' })
  const secret = readFileSync(join(home, 'secrets', 'admin.token'), 'utf8').trim()
  expect(JSON.stringify(daemon.firstLine)).not.toContain(secret)
  expect(await daemon.stop()).toBe(0)
})

test('a second daemon on the same home refuses with 75 and names the holder', async () => {
  const home = createHome()
  const daemon = await serve(home)
  const second = await runProgram(['serve'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect(second.code).toBe(75)
  expect(second.stderr).toContain(`pid ${daemon.child.pid}`)
  expect(await daemon.stop('SIGKILL')).toBe(null)
  const third = await serve(home)
  expect(await third.stop()).toBe(0)
})

test('a stop ends open streams and exits with 0', async () => {
  const home = createHome()
  const token = 'a-token-for-this-test-only'
  const daemon = await serve(home, { APPRENTICE_TOKEN: token })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const made = await fetch(`${daemon.url}/api/learn/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ entry_mode: 'coaching_agent' }),
  })
  const { session } = (await made.json()) as { session: { learn_session_id: string } }
  const stream = await openStream(`${daemon.url}/api/learn/sessions/${session.learn_session_id}/events`, { token })
  await stream.until((frames) => frames.length > 1)
  const code = await daemon.stop()
  await stream.ended
  expect(code).toBe(0)
})

test('the daemon removes its token from the environment that programs inherit', async () => {
  const home = createHome()
  const token = 'a-token-for-this-test-only'
  // Even settings that name the variable do not pass it on.
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ skills: { environment: ['APPRENTICE_TOKEN', 'HOME'] } }))
  writeSkill(join(home, 'skills'), 'com.test.env', {
    scripts: { 'run.js': 'console.log(JSON.stringify(process.env))' },
  })
  const daemon = await serve(home, { APPRENTICE_TOKEN: token })
  const reply = await fetch(`${daemon.url}/api/skills/com.test.env/run`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ wait_ms: 30_000 }),
  })
  const { run } = (await reply.json()) as { run: SkillRun }
  expect(run.state).toBe('success')
  expect(JSON.parse(run.stdout.text)).toHaveProperty('APPRENTICE_SKILL_RUN', run.run_id)
  expect(run.stdout.text).not.toContain(token)
})

test('a database from a newer version is refused with its own exit code', async () => {
  const home = createHome()
  await (await serve(home)).stop()
  const db = new Database(join(home, 'apprentice.db'))
  db.prepare("INSERT INTO migrations VALUES (9999, '9999_future', '2027-01-01T00:00:00.000Z')").run()
  db.close()
  const refused = await runProgram(['serve'], { APPRENTICE_HOME: home, APPRENTICE_PORT: '0' })
  expect([refused.code, refused.stdout]).toEqual([65, ''])
})

test.each([
  ['APPRENTICE_PORT', 'ninety'],
  ['APPRENTICE_TOKEN', 'short'],
  ['APPRENTICE_PHONE', 'fax'],
  ['ADB_SERVER_SOCKET', 'udp:1'],
])('a wrong %s is named and ends with 78', async (name, value) => {
  const refused = await runProgram(['serve'], { APPRENTICE_HOME: createHome(), [name]: value })
  expect(refused.code).toBe(78)
  expect(refused.stderr).toContain(name)
})
