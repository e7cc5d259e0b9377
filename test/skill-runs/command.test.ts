import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import { packageRoot } from '../../src/config/paths.ts'
import { createHome, runProgram, type RunningDaemon, serve } from '../commands/program.ts'
import type { WhenOver } from '../kit/phone-of-the-run.ts'
import { listRunProcesses, writeSkill, buildResultScript, SKILL_ID } from './skill-daemon.ts'

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
  for (const [id, text] of Object.entries(scripts)) writeSkill(root, id, { scripts: { 'run.js': text } })
  daemon = await serve(home, {}, whenOver)
}, 120_000)

afterAll(async () => {
  for (const end of endings.toReversed()) await end()
})

const cli = (...args: string[]) =>
  runProgram(['skills', 'run', ...args, '--url', daemon.url], { APPRENTICE_HOME: home })

test('the output of a skill is passed through, and its state sets the exit code', async () => {
  const done = await runProgram(
    ['skills', 'run', '--url', daemon.url, '--no-device', SKILL_ID, '--speed', 'fast', '--', '--json'],
    { APPRENTICE_HOME: home },
  )
  expect(done.stdout).toMatch(/^args --speed fast(?: --)? --json\n\[Clawperator-Skill-Result\]\n/)
  expect(done.stderr).toMatch(/^aside\n/)
  expect(done.stderr).toContain(`${SKILL_ID}: success; run `)
  expect(done.code).toBe(0)
})

test('the only connected phone is used by default', async () => {
  const done = await cli('com.test.open')
  expect([done.code, done.stdout], done.stderr).toEqual([0, 'opened\n'])
})

test.each([
  ['com.test.fail', 1, /failed: The script exited with code 9\. \(SKILL_EXECUTION_FAILED\)/],
  ['com.test.unsure', 3, /indeterminate: .*\(SKILL_VERIFICATION_INDETERMINATE\)/],
  ['com.test.nothing', 2, /SKILL_NOT_FOUND/],
])('%s exits with %d', async (id, code, message) => {
  const done = await cli(id)
  expect(done.code).toBe(code)
  expect(done.stderr).toMatch(message)
})

test('--json prints the run on stdout and the output on stderr', async () => {
  const done = await cli('com.test.fail', '--json', '--timeout', '5000')
  const { run: result } = JSON.parse(done.stdout) as { run: SkillRun }
  expect(result).toMatchObject({ state: 'failed', timeout_ms: 5000, outcome: { exit_code: 9 } })
  expect(done.stderr).toBe('so far\n')
  expect(done.code).toBe(1)
})

test('a run fails at --timeout and leaves no process', async () => {
  const done = await cli('com.test.endless', '--json', '--timeout', '1500')
  const { run: result } = JSON.parse(done.stdout) as { run: SkillRun }
  expect(result.outcome?.trouble?.code).toBe('SKILL_EXECUTION_TIMEOUT')
  expect(listRunProcesses(result.run_id)).toEqual([])
})

test('Ctrl-C cancels the run and leaves no process', async () => {
  const main = join(packageRoot, 'dist', 'main.js')
  const args = [main, 'skills', 'run', 'com.test.endless', '--url', daemon.url]
  const child = spawn(process.execPath, args, { env: { ...process.env, APPRENTICE_HOME: home } })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    output.stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output.stderr += chunk.toString()
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  await expect.poll(() => output.stdout, { timeout: 30_000 }).toBe('on and on\n')
  child.kill('SIGINT')
  const [code] = await closed
  expect([code, output.stderr]).toEqual([130, expect.stringContaining('cancelled')])
  const [, runId = ''] = /run (\S+)\n/.exec(output.stderr) ?? []
  expect(runId).toMatch(/^[0-9a-f-]{36}$/)
  expect(listRunProcesses(runId)).toEqual([])
})

test('agent-skills installs, lists and updates the guides, and the doctor checks them', async () => {
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
