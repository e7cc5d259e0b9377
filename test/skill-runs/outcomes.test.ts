import { expect, test } from 'vitest'
import { RESULT_MARKER } from '../../src/knowledge/skill-script/frame-reader.ts'
import { startSkillDaemon, listRunProcesses, listGroupProcesses, buildResultScript, SKILL_ID } from './skill-daemon.ts'

test('exit code 0 is a success, with arguments and output', async () => {
  const { run } = await startSkillDaemon(`console.log(JSON.stringify(process.argv.slice(2))); console.error('aside')`)
  const settled = await run({ args: ['a b', '--x=1'] })
  expect(settled).toMatchObject({
    state: 'success',
    kind: 'script',
    arguments: ['a b', '--x=1'],
    stdout: { text: '["a b","--x=1"]\n', dropped_bytes: 0 },
    stderr: { text: 'aside\n' },
    outcome: { exit_code: 0, skill_result: null, warnings: [] },
  })
  expect(settled.outcome).not.toHaveProperty('trouble')
})

test('a result is stored with the source set by the runtime', async () => {
  const { run } = await startSkillDaemon(
    `console.log('working'); ${buildResultScript({ result: { kind: 'text', text: '21' } })}`,
  )
  expect((await run()).outcome?.skill_result).toMatchObject({
    skillId: SKILL_ID,
    result: { kind: 'text', text: '21' },
    source: { kind: 'script' },
  })
})

test('another exit code is a failure, with the result', async () => {
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

test('a failed result is a failure despite exit code 0', async () => {
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
])('a script that prints %s has failed without a result', async (_description, script) => {
  const { run } = await startSkillDaemon(script)
  expect(await run()).toMatchObject({
    state: 'failed',
    outcome: { exit_code: 0, skill_result: null, trouble: { code: 'SKILL_RESULT_PARSE_FAILED' } },
  })
})

test('a run without the text in expect_contains has failed', async () => {
  const { run } = await startSkillDaemon(
    `process.stdout.write('tem'); setTimeout(() => console.log('perature 21'), 50)`,
  )
  expect(await run({ expect_contains: 'temperature 21' })).toMatchObject({ state: 'success' })
  expect(await run({ expect_contains: 'temperature 22' })).toMatchObject({
    state: 'failed',
    outcome: { trouble: { code: 'SKILL_OUTPUT_ASSERTION_FAILED' } },
  })
})

test('a script that ignores SIGTERM at its timeout is killed, and its output is stored', async () => {
  const { run } = await startSkillDaemon(`
    process.on('SIGTERM', () => console.log('no'))
    console.log('pid ' + process.pid)
    ${buildResultScript()}
    setInterval(() => {}, 1000)`)
  const settled = await run({ timeout_ms: 2500 })
  expect(settled).toMatchObject({
    state: 'failed',
    outcome: {
      signal: 'SIGKILL',
      skill_result: null,
      trouble: { code: 'SKILL_EXECUTION_TIMEOUT' },
    },
  })
  expect(settled.stdout.text).toContain('no\n')
  expect(listGroupProcesses(Number(/pid (\d+)/.exec(settled.stdout.text)?.[1]))).toEqual([])
  expect(listRunProcesses(settled.run_id)).toEqual([])
  expect(settled.outcome?.duration_ms).toBeGreaterThanOrEqual(4400)
})

test('a script that exits on SIGTERM is not killed', async () => {
  const { run } = await startSkillDaemon(`
    process.on('SIGTERM', () => { console.log('tidied'); process.exit(3) })
    setInterval(() => {}, 1000)`)
  const settled = await run({ timeout_ms: 2500 })
  expect(settled.stdout.text).toBe('tidied\n')
  expect(settled.outcome).toMatchObject({
    exit_code: 3,
    trouble: { code: 'SKILL_EXECUTION_TIMEOUT' },
  })
  expect(settled.outcome?.duration_ms).toBeLessThan(4400)
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
])('child processes %s end with the script', async (_description, detached) => {
  const { run } = await startSkillDaemon(buildForkingScript(detached))
  const settled = await run()
  expect(settled).toMatchObject({ state: 'success', outcome: { exit_code: 0 } })
  expect(listGroupProcesses(Number(/group (\d+)/.exec(settled.stdout.text)?.[1]))).toEqual([])
  expect(listRunProcesses(settled.run_id)).toEqual([])
})

test('child processes end at the timeout of the script', async () => {
  const { run } = await startSkillDaemon(buildForkingScript(false).replace('process.exit(0), 600', '{}, 60000'))
  const settled = await run({ timeout_ms: 2500 })
  expect(settled.outcome?.trouble?.code).toBe('SKILL_EXECUTION_TIMEOUT')
  expect(listRunProcesses(settled.run_id)).toEqual([])
})

test('a long output is truncated, and the result at its end is read', async () => {
  const { run } = await startSkillDaemon(`
    const line = 'x'.repeat(99) + '\\n'
    for (let n = 0; n < 30000; n += 1) require('node:fs').writeSync(1, line)
    ${buildResultScript()}`)
  const settled = await run()
  expect(settled).toMatchObject({
    state: 'success',
    outcome: { skill_result: { status: 'success' } },
  })
  expect(settled.stdout.bytes).toBeGreaterThan(3_000_000)
  expect(settled.stdout.text.length).toBeLessThan(300_000)
  expect(settled.stdout.dropped_bytes).toBeGreaterThan(2_700_000)
  expect(settled.stdout.text).toContain(RESULT_MARKER)
})

test('a script beyond the output limit is killed with bounded memory', async () => {
  const { run } = await startSkillDaemon(`
    const block = Buffer.alloc(65536, 120)
    for (;;) require('node:fs').writeSync(1, block)`)
  const before = process.memoryUsage().rss
  const settled = await run({ timeout_ms: 30_000 })
  expect(settled).toMatchObject({
    state: 'failed',
    outcome: { skill_result: null, trouble: { code: 'SKILL_OUTPUT_TOO_LARGE' } },
  })
  expect(listRunProcesses(settled.run_id)).toEqual([])
  expect(settled.stdout.text.length).toBeLessThan(300_000)
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1_048_576)
})

test('a script that cannot be started has failed', async () => {
  const { run } = await startSkillDaemon({ scripts: { 'run.sh': '#!/no/such/program\n' } })
  const settled = await run()
  expect(settled.state).toBe('failed')
  expect(settled.outcome?.trouble?.code).toBe('SKILL_EXECUTION_FAILED')
})
