import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import { packageRoot } from '../../src/config/paths.ts'
import { createHome, runProgram, type RunningDaemon, serve } from '../commands/program.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { listRunProcesses, writeSkill, buildResultScript, SKILL_ID } from './skill-daemon.ts'

vi.setConfig({ testTimeout: 120_000 })

const endings: Parameters<WhenOver>[0][] = []
const whenOver: WhenOver = (end) => endings.push(end)
let daemon: RunningDaemon
let home: string

const OPEN_SCRIPT = `require('node:child_process').execFileSync('apprentice', ['open', 'com.android.settings', '--device', process.argv[2]])`

beforeAll(async () => {
  home = createHome(whenOver)
  const root = join(home, 'skills')
  mkdirSync(root)
  const scripts: Record<string, string> = {
    [SKILL_ID]: `console.log('args ' + process.argv.slice(2).join(' ')); console.error('aside'); ${buildResultScript()}`,
    'com.test.open': `${OPEN_SCRIPT}; console.log('opened')`,
    'com.test.fail': `console.log('so far'); process.exit(9)`,
    'com.test.unsure': buildResultScript({ skillId: 'com.test.unsure', status: 'indeterminate' }),
    'com.test.endless': `console.log('on and on'); setInterval(() => {}, 1000)`,
  }
  for (const [id, text] of Object.entries(scripts))
    writeSkill(root, id, { scripts: { 'run.js': text } })
  daemon = await serve(home, {}, whenOver)
}, 120_000)

afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

const cli = (...words: string[]) =>
  runProgram(['skills', 'run', ...words, '--url', daemon.url], { APPRENTICE_HOME: home })

test('what a skill prints is shown as it is printed, and its end decides the exit code', async () => {
  const done = await runProgram(
    [
      'skills',
      'run',
      '--url',
      daemon.url,
      '--no-device',
      SKILL_ID,
      '--speed',
      'fast',
      '--',
      '--json',
    ],
    { APPRENTICE_HOME: home },
  )
  expect(done.stdout).toMatch(/^args --speed fast(?: --)? --json\n\[Clawperator-Skill-Result\]\n/)
  expect(done.stderr).toMatch(/^aside\n/)
  expect(done.stderr).toContain(`${SKILL_ID}: success; run `)
  expect(done.code).toBe(0)
})

test('the only phone is given to it, and it can use it', async () => {
  const done = await cli('com.test.open')
  expect([done.code, done.stdout], done.stderr).toEqual([0, 'opened\n'])
})

test.each([
  ['com.test.fail', 1, /failed: The script exited with code 9\. \(SKILL_EXECUTION_FAILED\)/],
  ['com.test.unsure', 3, /indeterminate: .*\(SKILL_VERIFICATION_INDETERMINATE\)/],
  ['com.test.nothing', 2, /SKILL_NOT_FOUND/],
])('%s ends with %d', async (id, code, words) => {
  const done = await cli(id)
  expect(done.code).toBe(code)
  expect(done.stderr).toMatch(words)
})

test('programs get the run as JSON, and the output beside it', async () => {
  const done = await cli('com.test.fail', '--json', '--timeout', '5000')
  const { run: told } = JSON.parse(done.stdout) as { run: SkillRun }
  expect(told).toMatchObject({ state: 'failed', timeout_ms: 5000, outcome: { exit_code: 9 } })
  expect(done.stderr).toBe('so far\n')
  expect(done.code).toBe(1)
})

test('a run that takes too long fails by the time that was given, and leaves nothing', async () => {
  const done = await cli('com.test.endless', '--json', '--timeout', '1500')
  const { run: told } = JSON.parse(done.stdout) as { run: SkillRun }
  expect(told.outcome?.trouble?.code).toBe('SKILL_EXECUTION_TIMEOUT')
  expect(listRunProcesses(told.run_id)).toEqual([])
})

test('a run is taken back with Ctrl-C, and nothing of it stays', async () => {
  const main = join(packageRoot, 'dist', 'main.js')
  const words = [main, 'skills', 'run', 'com.test.endless', '--url', daemon.url]
  const child = spawn(process.execPath, words, { env: { ...process.env, APPRENTICE_HOME: home } })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (piece: Buffer) => {
    said.stdout += piece.toString()
  })
  child.stderr.on('data', (piece: Buffer) => {
    said.stderr += piece.toString()
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  await expect.poll(() => said.stdout, { timeout: 30_000 }).toBe('on and on\n')
  child.kill('SIGINT')
  const [code] = await closed
  expect([code, said.stderr]).toEqual([130, expect.stringContaining('cancelled')])
  expect(listRunProcesses(/run (\S+)\n/.exec(said.stderr)?.[1] ?? 'none')).toEqual([])
})

test('the guides are put where they are asked for, and the doctor knows of them', async () => {
  const into = join(home, 'agent')
  const env = { APPRENTICE_HOME: home }
  const put = await runProgram(['agent-skills', 'install', '--into', into, '--json'], env)
  expect(put.code, put.stderr).toBe(0)
  const listed = await runProgram(['agent-skills', 'list', '--into', into, '--json'], env)
  expect(JSON.parse(listed.stdout)).toMatchObject({ count: 4, installedDir: into })
  expect((await runProgram(['agent-skills', 'update'], env)).stdout).toContain(`4 in ${into}`)
  const doctor = await runProgram(['doctor'], env)
  expect(doctor.stdout).toMatch(/ok {4}host\.agent-skills\.staleness/)
})
