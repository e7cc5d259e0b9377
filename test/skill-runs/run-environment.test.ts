import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { SkillRun } from '@apprentice/contracts/skills/runs.ts'
import { startSkillDaemon, writeSkill, type SkillSpec, buildResultScript, SKILL_ID } from './skill-daemon.ts'

const ECHO_SCRIPT = `console.log(JSON.stringify({ env: process.env, cwd: process.cwd(), argv: process.argv.slice(2) }))`
interface ScriptEcho {
  env: Record<string, string>
  cwd: string
  argv: string[]
}
const parseEcho = (run: SkillRun) => JSON.parse(run.stdout.text.split('\n')[0] ?? '') as ScriptEcho

test('a script gets the documented variables and no others of the daemon', async () => {
  process.env['APPRENTICE_TEST_SECRET'] = 'hidden'
  process.env['CLAWPERATOR_DEVICE_ID'] = 'inherited'
  const { run, daemon } = await startSkillDaemon(ECHO_SCRIPT)
  const settled = await run({ operator_package: 'com.example.operator' })
  const { env, cwd } = parseEcho(settled)
  delete process.env['APPRENTICE_TEST_SECRET']
  delete process.env['CLAWPERATOR_DEVICE_ID']

  expect(env).not.toHaveProperty('APPRENTICE_TEST_SECRET')
  expect(
    Object.keys(env)
      .filter((name) => /^(CLAWPERATOR|APPRENTICE)_/.test(name))
      .toSorted(),
  ).toEqual(['APPRENTICE_SKILL_RUN', 'CLAWPERATOR_BIN', 'CLAWPERATOR_OPERATOR_PACKAGE'])
  expect(env).toMatchObject({
    APPRENTICE_SKILL_RUN: settled.run_id,
    CLAWPERATOR_OPERATOR_PACKAGE: 'com.example.operator',
    HOME: join(daemon.home, 'skill-runs', settled.run_id, 'work'),
  })
  expect(JSON.stringify(env)).not.toContain('run_')
  const own = join(daemon.home, 'skill-runs', settled.run_id)
  expect(env['CLAWPERATOR_BIN']).toBe(join(own, 'bin', 'apprentice'))
  expect(cwd).toBe(join(own, 'work'))
})

test('after a run only its logs stay, readable by the owner only', async () => {
  const { run } = await startSkillDaemon(
    `require('node:fs').writeFileSync('left', 'x'); console.log('out'); console.error('err')`,
  )
  const { log_folder = '' } = await run({ args: ['a'] })
  expect(readdirSync(log_folder).toSorted()).toEqual(['run.json', 'stderr.log', 'stdout.log'])
  expect(readdirSync(join(log_folder, '..'))).toEqual(['logs'])
  expect(readFileSync(join(log_folder, 'stdout.log'), 'utf8')).toBe('out\n')
  expect(JSON.parse(readFileSync(join(log_folder, 'run.json'), 'utf8'))).toMatchObject({
    skill_id: SKILL_ID,
    args: ['a'],
    ended_by: 'exit',
    exit_code: 0,
    clean: true,
  })
  expect(statSync(log_folder).mode & 0o077).toBe(0)
})

test.each<[string, SkillSpec, string]>([
  [
    'the first .js',
    {
      scripts: {
        'a.sh': '#!/bin/sh\necho sh',
        'b.js': `console.log('b')`,
        'c.js': `console.log('c')`,
      },
    },
    'b\n',
  ],
  [
    'the first .sh without a .js',
    { scripts: { 'a.py': '#!/bin/sh\necho py', 'b.sh': '#!/bin/sh\necho sh "$1"' } },
    'sh one\n',
  ],
  ['the first without .js and .sh', { scripts: { 'a.tool': '#!/bin/sh\necho tool' } }, 'tool\n'],
  [
    'one of the listed scripts, not of the folder',
    { scripts: { 'a.sh': '#!/bin/sh\necho sh', 'b.js': `console.log('b')` }, listed: ['a.sh'] },
    'sh\n',
  ],
])('the script to run is %s', async (_rule, skill, output) => {
  const { run } = await startSkillDaemon(skill)
  expect((await run({ args: ['one'] })).stdout.text).toBe(output)
})

test.each<[string, number, SkillSpec]>([
  ['SKILL_SCRIPT_NOT_FOUND', 404, { scripts: {} }],
  ['SKILL_SCRIPT_NOT_FOUND', 404, { scripts: {}, listed: ['gone.js'] }],
  ['SKILL_VALIDATION_FAILED', 422, { scripts: {}, document: { scripts: ['/bin/ls'] } }],
  ['SKILL_VALIDATION_FAILED', 422, { scripts: {}, document: { scripts: [`skills/${SKILL_ID}/../../x.js`] } }],
  ['SKILL_VALIDATION_FAILED', 422, { scripts: {}, document: { scripts: ['skills/other/scripts/run.js'] } }],
  ['SKILL_VALIDATION_FAILED', 422, { scripts: { 'run.js': '' }, document: { contract: { inputs: [] } } }],
  ['SKILL_VALIDATION_FAILED', 422, { scripts: { 'go.js': '' }, document: { agent: { cli: 'codex' } } }],
  ['SKILL_AGENT_CLI_UNAVAILABLE', 424, { scripts: { 'run.js': '' }, document: { agent: { cli: 'no-such-agent' } } }],
])('%s: no run is created', async (code, status, skill) => {
  const { daemon } = await startSkillDaemon(skill)
  const reply = await daemon.post(`/api/skills/${SKILL_ID}/run`, {})
  expect(reply.json()).toMatchObject({ error: { code } })
  expect(reply.statusCode).toBe(status)
  expect((await daemon.get(`/api/skills/${SKILL_ID}/runs`)).json()).toMatchObject({ runs: [] })
})

test('a skill id with path parts is rejected, and no run is created', async () => {
  const { daemon } = await startSkillDaemon('')
  for (const id of ['..', '%2e%2e', '..%2fskills', 'com.test.nothing']) {
    const reply = await daemon.post(`/api/skills/${id}/run`, {})
    expect(reply.statusCode, id).toBeGreaterThanOrEqual(400)
    expect(reply.statusCode, id).toBeLessThan(500)
  }
  const runs = daemon.system.store.read(({ db }) => db.prepare('SELECT count(*) AS n FROM skill_runs').get())
  expect(runs).toEqual({ n: 0 })
})

/** The harness of an orchestrated skill: it passes the prompt to the agent and prints the agent's output. */
const HARNESS_SCRIPT = `
  const { spawnSync } = require('node:child_process')
  const prompt = require('node:fs').readFileSync(process.env.APPRENTICE_SKILL_PROMPT, 'utf8')
  const agent = spawnSync(process.execPath, [process.env.CLAWPERATOR_SKILL_AGENT_CLI_PATH], { input: prompt, encoding: 'utf8' })
  require('node:fs').writeFileSync(require('node:path').join(process.env.CLAWPERATOR_SKILL_LOG_DIR, 'agent.log'), agent.stdout)
  ${ECHO_SCRIPT}
  process.stdout.write(agent.stdout)`

async function startAgentSkill(agentScript: string, document: object = {}) {
  const shop = await startSkillDaemon({
    scripts: { 'run.js': HARNESS_SCRIPT },
    program: '---\nname: it\n---\nTurn the lamp on.\n',
    document: { agent: { cli: 'helper', cliPath: 'agent.js', timeoutMs: 30_000 }, ...document },
  })
  const agent = join(shop.root, SKILL_ID, 'agent.js')
  writeFileSync(agent, agentScript)
  return { ...shop, agent }
}

test('an agent skill gets its prompt, inputs and agent program, and its logs are stored', async () => {
  const { run, agent, root } = await startAgentSkill(buildResultScript({ inputs: {} }))
  writeFileSync(join(root, 'skills-registry.json'), '{"skills":[]}')
  const settled = await run({ args: ['on', '--fast'] })

  expect(settled).toMatchObject({
    state: 'success',
    kind: 'agent',
    timeout_ms: 30_000,
    outcome: { skill_result: { source: { kind: 'agent', agentCli: 'helper' } } },
  })
  const { env, argv } = parseEcho(settled)
  expect(argv).toEqual(['on', '--fast'])
  expect(env).toMatchObject({
    CLAWPERATOR_SKILL_ID: SKILL_ID,
    CLAWPERATOR_SKILL_PROGRAM: join(root, SKILL_ID, 'SKILL.md'),
    CLAWPERATOR_SKILL_INPUTS: '["on","--fast"]',
    CLAWPERATOR_SKILL_AGENT_CLI: 'helper',
    CLAWPERATOR_SKILL_AGENT_CLI_PATH: agent,
    CLAWPERATOR_SKILL_AGENT_TIMEOUT_MS: '30000',
    CLAWPERATOR_SKILLS_REGISTRY: join(root, 'skills-registry.json'),
  })
  const { log_folder = '' } = settled
  expect(readFileSync(join(log_folder, 'prompt.md'), 'utf8')).toMatch(/\["on","--fast"\][\s\S]*Turn the lamp on\./)
  expect(existsSync(join(log_folder, 'agent.log'))).toBe(true)
  expect(JSON.parse(readFileSync(join(log_folder, 'run.json'), 'utf8'))).toMatchObject({
    agent: { cli: 'helper', path: agent },
  })
})

test('an agent without a result has failed', async () => {
  const { run } = await startAgentSkill(`console.log('I did it')`)
  expect(await run()).toMatchObject({
    state: 'failed',
    outcome: { exit_code: 0, trouble: { code: 'SKILL_RESULT_PARSE_FAILED' } },
  })
})

test('the configured agent replaces the agent of the skill and is found in PATH', async () => {
  const { root, daemon } = await startAgentSkill(buildResultScript())
  const { skillRuns } = daemon.system
  const skill = await skillRuns.findSkill(SKILL_ID)
  expect(skill?.skill_id).toBe(SKILL_ID)
  writeSkill(root, 'com.test.sh', {
    scripts: { 'run.js': '' },
    document: { agent: { cli: 'sh' } },
  })
  const other = await startSkillDaemon('', {
    config: { skillRoots: [dirname(root)], skillAgent: 'env' },
  })
  const chosen = await other.daemon.post('/api/skills/com.test.sh/run', { wait_ms: 20_000 })
  const { run } = chosen.json<{ run: SkillRun }>()
  const facts = JSON.parse(readFileSync(join(run.log_folder ?? '', 'run.json'), 'utf8')) as {
    agent: { cli: string; path: string }
  }
  expect(facts.agent.cli).toBe('env')
  expect(basename(facts.agent.path)).toBe('env')
})
