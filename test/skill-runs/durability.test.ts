import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { postRepeatedly } from '../kit/repeated-request.ts'
import { serve } from '../commands/program.ts'
import { openStream } from '../live/sse-client.ts'
import {
  createSkillRoot,
  createRunClient,
  startSkillDaemon,
  listRunProcesses,
  writeSkill,
  SKILL_ID,
} from './skill-daemon.ts'

const ENDLESS_SCRIPT = `console.log('started'); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`

function createTestHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-runs-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  return home
}

test('stopping the daemon interrupts a run and ends its script; queued runs continue after the restart', async () => {
  const home = createTestHome()
  const root = createSkillRoot()
  writeSkill(root, SKILL_ID, { scripts: { 'run.js': ENDLESS_SCRIPT } })
  writeSkill(root, 'com.test.quick', { scripts: { 'run.js': `console.log('done')` } })
  const config = { skillRoots: [dirname(root)], phone: 'simulated' as const }
  const before = await startDaemon({ home, config })
  const first = createRunClient(before)
  const serial = before.system.devices.phone.simulated?.serial
  await expect
    .poll(async () => (await before.get('/api/devices')).json())
    .toMatchObject({ devices: [{ serial, state: 'device' }] })
  const started = await first.start({ serial })
  await expect.poll(async () => (await first.read(started.run_id)).state).toBe('running')
  await expect.poll(() => before.events().map(({ kind }) => kind)).toContain('skill.run.printed')
  expect(listRunProcesses(started.run_id)).not.toEqual([])
  // Runs are serial per device, so these stay queued.
  const waiting = [await first.start({ serial }, 'com.test.quick'), await first.start({ serial }, 'com.test.quick')]
  await before.stop()
  expect(listRunProcesses(started.run_id)).toEqual([])

  const again = await startDaemon({ home, config })
  const after = createRunClient(again)
  expect(await after.read(started.run_id)).toMatchObject({
    state: 'interrupted',
    outcome: { trouble: { code: 'SKILL_RUN_INTERRUPTED' } },
    stdout: { text: 'started\n' },
  })
  for (const { run_id } of waiting) await after.until(run_id, 'success')
  expect((await again.get(`/api/devices/${serial}`)).json()).not.toHaveProperty('lease')
})

/** Starts a daemon with an endless script and kills the daemon. */
const isScript = (pid: string): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0', 1).join('').endsWith('bwrap')
  } catch {
    return false
  }
}

async function killDuringRun(more: Record<string, string> = {}) {
  const home = createTestHome()
  writeSkill(join(home, 'skills'), SKILL_ID, { scripts: { 'run.js': ENDLESS_SCRIPT } })
  const env = { APPRENTICE_TOKEN: adminToken, ...more }
  const killed = await serve(home, env)
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const reply = await fetch(`${killed.url}/api/skills/${SKILL_ID}/run`, {
    method: 'POST',
    headers,
    body: '{}',
  })
  const { run_id } = ((await reply.json()) as { run: SkillRun }).run
  // bubblewrap ends with the daemon from the moment on at which it has started the script.
  await expect.poll(() => listRunProcesses(run_id).some(isScript), { timeout: 60_000 }).toBe(true)
  await killed.stop('SIGKILL')
  const restart = async () => {
    const next = await serve(home, env)
    const read = await fetch(`${next.url}/api/skills/runs/${run_id}`, { headers })
    expect(await read.json()).toMatchObject({ run: { state: 'interrupted' } })
    await next.stop()
  }
  return { run_id, restart }
}

test('a contained script ends with a killed daemon, and its run is interrupted at the next start', async () => {
  const { run_id, restart } = await killDuringRun()
  await expect.poll(() => listRunProcesses(run_id)).toEqual([])
  await restart()
})

test('the uncontained script of a killed daemon is ended at the next start, and its run is interrupted', async () => {
  // Without a search path bubblewrap is not found.
  const { run_id, restart } = await killDuringRun({ PATH: '/nonexistent' })
  expect(listRunProcesses(run_id)).not.toEqual([])
  await restart()
  expect(listRunProcesses(run_id)).toEqual([])
})

test('the event stream of a run delivers its output and resumes from last-event-id', async () => {
  const { daemon, start, until } = await startSkillDaemon(`
    console.log('one'); console.error('aside')
    setTimeout(() => console.log('two'), 600)`)
  const { url } = await daemon.listen()
  const { run_id } = await start()
  const events = `${url}/api/skills/runs/${run_id}/events`
  const stream = await openStream(events, { token: adminToken })
  await stream.ended
  await until(run_id, 'success')
  const kinds = stream.frames.flatMap(({ event }) => event ?? [])
  expect(kinds[0]).toBe('skill.run.queued')
  expect(kinds[1]).toBe('skill.run.started')
  expect(kinds.at(-1)).toBe('skill.run.settled')
  const printed = stream.frames.filter(({ event }) => event === 'skill.run.printed')
  const readStream = (name: string) =>
    printed
      .filter(({ data }) => data?.payload['stream'] === name)
      .map(({ data }) => data?.payload['text'])
      .join('')
  expect([readStream('stdout'), readStream('stderr')]).toEqual(['one\ntwo\n', 'aside\n'])
  expect(printed.length).toBeGreaterThan(1)

  const last = stream.frames.at(-2)?.id ?? ''
  const again = await openStream(events, { token: adminToken, headers: { 'last-event-id': last } })
  await again.ended
  expect(again.frames.flatMap(({ event }) => event ?? [])).toEqual(['skill.run.settled'])
})

test('cancelling a run ends all its processes', async () => {
  const { daemon, start, read } = await startSkillDaemon(ENDLESS_SCRIPT)
  const { run_id } = await start()
  await expect.poll(async () => (await read(run_id)).state).toBe('running')
  await expect.poll(() => listRunProcesses(run_id).length).toBeGreaterThan(0)
  const reply = await postRepeatedly(daemon, `/api/skills/runs/${run_id}/cancel`)
  expect(reply.json()).toMatchObject({ run: { state: 'cancelled' } })
  expect(listRunProcesses(run_id)).toEqual([])
  expect((await daemon.post(`/api/skills/runs/${run_id}/cancel`)).json()).toMatchObject({
    error: { code: 'SKILL_RUN_SETTLED' },
  })
})

test("another user's run can be neither read nor cancelled", async () => {
  const { daemon, run } = await startSkillDaemon('')
  const { run_id } = await run()
  const other = await daemon.tokenFor('somebody')
  for (const path of ['', '/events']) {
    const reply = await daemon.get(`/api/skills/runs/${run_id}${path}`, other)
    expect(reply.json()).toMatchObject({ error: { code: 'SKILL_RUN_NOT_FOUND' } })
  }
  const cancel = await daemon.post(`/api/skills/runs/${run_id}/cancel`, {}, other)
  expect(cancel.json()).toMatchObject({ error: { code: 'SKILL_RUN_NOT_FOUND' } })
  expect((await daemon.get(`/api/skills/${SKILL_ID}/runs`, other)).json()).toMatchObject({
    total: 0,
  })
})

test('a repeated client_request_id returns the first run and starts no other', async () => {
  const { daemon, run } = await startSkillDaemon(`console.log('once')`)
  const first = await run({ client_request_id: 'a' })
  expect((await run({ client_request_id: 'a' })).run_id).toBe(first.run_id)
  expect((await daemon.get(`/api/skills/${SKILL_ID}/runs`)).json()).toMatchObject({ total: 1 })
})
