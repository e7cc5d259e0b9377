import { expect, test } from 'vitest'
import { RESULT_MARKER } from '../../src/knowledge/skill-script/frame-reader.ts'
import { startSkillDaemon, listRunProcesses, listGroupProcesses, buildResultScript, SKILL_ID } from './skill-daemon.ts'

test('a script that ends well is a success, with its arguments and its output', async () => {
  const { run } = await startSkillDaemon(
    `console.log(JSON.stringify(process.argv.slice(2))); console.error('aside')`,
  )
  const ended = await run({ args: ['a b', '--x=1'] })
  expect(ended).toMatchObject({
    state: 'success',
    kind: 'script',
    arguments: ['a b', '--x=1'],
    stdout: { text: '["a b","--x=1"]\n', dropped_bytes: 0 },
    stderr: { text: 'aside\n' },
    outcome: { exit_code: 0, skill_result: null, warnings: [] },
  })
  expect(ended.outcome).not.toHaveProperty('trouble')
})

test('a result is kept with the source the runtime knows', async () => {
  const { run } = await startSkillDaemon(
    `console.log('working'); ${buildResultScript({ result: { kind: 'text', text: '21' } })}`,
  )
  expect((await run()).outcome?.skill_result).toMatchObject({
    skillId: SKILL_ID,
    result: { kind: 'text', text: '21' },
    source: { kind: 'script' },
  })
})

test('a script that fails has failed, and its result is still there', async () => {
  const { run } = await startSkillDaemon(`${buildResultScript({ status: 'failed' })} process.exitCode = 7`)
  expect(await run()).toMatchObject({
    state: 'failed',
    outcome: {
      exit_code: 7,
      skill_result: { status: 'failed' },
      trouble: { code: 'SKILL_EXECUTION_FAILED' },
    },
  })
})

test('a script that ends with 0 after it said it failed has failed', async () => {
  const { run } = await startSkillDaemon(buildResultScript({ status: 'failed' }))
  expect(await run()).toMatchObject({
    state: 'failed',
    outcome: { exit_code: 0, trouble: { code: 'SKILL_EXECUTION_FAILED' } },
  })
})

test.each([
  ['two frames', `${buildResultScript()} ${buildResultScript()}`],
  ['a frame and then text', `${buildResultScript()} console.log('done')`],
  ['half a frame', `console.log(${JSON.stringify(RESULT_MARKER)})`],
  ['the frame of another skill', buildResultScript({ skillId: 'com.test.other' })],
  ['a frame that names its source', buildResultScript({ source: { kind: 'script' } })],
])('a script that prints %s has no result, whatever its exit code', async (_what, script) => {
  const { run } = await startSkillDaemon(script)
  expect(await run()).toMatchObject({
    state: 'failed',
    outcome: { exit_code: 0, skill_result: null, trouble: { code: 'SKILL_RESULT_PARSE_FAILED' } },
  })
})

test('words that were expected and not printed make a run fail', async () => {
  const { run } = await startSkillDaemon(
    `process.stdout.write('tem'); setTimeout(() => console.log('perature 21'), 50)`,
  )
  expect(await run({ expect_contains: 'temperature 21' })).toMatchObject({ state: 'success' })
  expect(await run({ expect_contains: 'temperature 22' })).toMatchObject({
    state: 'failed',
    outcome: { trouble: { code: 'SKILL_OUTPUT_ASSERTION_FAILED' } },
  })
})

test('a script that ignores TERM is ended, with all it started, and its output is kept', async () => {
  const { run } = await startSkillDaemon(`
    process.on('SIGTERM', () => console.log('no'))
    console.log('pid ' + process.pid)
    ${buildResultScript()}
    setInterval(() => {}, 1000)`)
  const ended = await run({ timeout_ms: 2500 })
  expect(ended).toMatchObject({
    state: 'failed',
    outcome: {
      signal: 'SIGKILL',
      skill_result: null,
      trouble: { code: 'SKILL_EXECUTION_TIMEOUT' },
    },
  })
  expect(ended.stdout.text).toContain('no\n')
  expect(listGroupProcesses(Number(/pid (\d+)/.exec(ended.stdout.text)?.[1]))).toEqual([])
  expect(listRunProcesses(ended.run_id)).toEqual([])
  expect(ended.outcome?.duration_ms).toBeGreaterThanOrEqual(4400)
})

test('a script that listens to TERM is not killed', async () => {
  const { run } = await startSkillDaemon(`
    process.on('SIGTERM', () => { console.log('tidied'); process.exit(3) })
    setInterval(() => {}, 1000)`)
  const ended = await run({ timeout_ms: 2500 })
  expect(ended.stdout.text).toBe('tidied\n')
  expect(ended.outcome).toMatchObject({
    exit_code: 3,
    trouble: { code: 'SKILL_EXECUTION_TIMEOUT' },
  })
  expect(ended.outcome?.duration_ms).toBeLessThan(4400)
})

const buildForkingScript = (detached: boolean) => `
  const { spawn } = require('node:child_process')
  const kid = "process.on('SIGTERM', () => {}); require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' }); setInterval(() => {}, 1000)"
  for (let n = 0; n < 3; n += 1) spawn(process.execPath, ['-e', kid], { stdio: 'inherit', detached: ${detached} }).unref()
  console.log('group ' + process.pid)
  setTimeout(() => process.exit(0), 600)`

test.each([
  ['in its group', false],
  ['in groups of their own', true],
])('what a script leaves behind %s is ended with it', async (_where, detached) => {
  const { run } = await startSkillDaemon(buildForkingScript(detached))
  const ended = await run()
  expect(ended).toMatchObject({ state: 'success', outcome: { exit_code: 0 } })
  expect(listGroupProcesses(Number(/group (\d+)/.exec(ended.stdout.text)?.[1]))).toEqual([])
  expect(listRunProcesses(ended.run_id)).toEqual([])
})

test('what a script started ends with it when its time is up', async () => {
  const { run } = await startSkillDaemon(buildForkingScript(false).replace('process.exit(0), 600', '{}, 60000'))
  const ended = await run({ timeout_ms: 2500 })
  expect(ended.outcome?.trouble?.code).toBe('SKILL_EXECUTION_TIMEOUT')
  expect(listRunProcesses(ended.run_id)).toEqual([])
})

test('a long output is kept in part, and the result at its end is read', async () => {
  const { run } = await startSkillDaemon(`
    const line = 'x'.repeat(99) + '\\n'
    for (let n = 0; n < 30000; n += 1) require('node:fs').writeSync(1, line)
    ${buildResultScript()}`)
  const ended = await run()
  expect(ended).toMatchObject({
    state: 'success',
    outcome: { skill_result: { status: 'success' } },
  })
  expect(ended.stdout.bytes).toBeGreaterThan(3_000_000)
  expect(ended.stdout.text.length).toBeLessThan(300_000)
  expect(ended.stdout.dropped_bytes).toBeGreaterThan(2_700_000)
  expect(ended.stdout.text).toContain(RESULT_MARKER)
})

test('a script that floods its output is ended, and little of it is kept', async () => {
  const { run } = await startSkillDaemon(`
    const block = Buffer.alloc(65536, 120)
    for (;;) require('node:fs').writeSync(1, block)`)
  const before = process.memoryUsage().rss
  const ended = await run({ timeout_ms: 30_000 })
  expect(ended).toMatchObject({
    state: 'failed',
    outcome: { skill_result: null, trouble: { code: 'SKILL_OUTPUT_TOO_LARGE' } },
  })
  expect(listRunProcesses(ended.run_id)).toEqual([])
  expect(ended.stdout.text.length).toBeLessThan(300_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576)
})

test('a script that cannot be started has failed', async () => {
  const { run } = await startSkillDaemon({ scripts: { 'run.sh': '#!/no/such/program\n' } })
  const ended = await run()
  expect(ended.state).toBe('failed')
  expect(ended.outcome?.trouble?.code).toBe('SKILL_EXECUTION_FAILED')
})
