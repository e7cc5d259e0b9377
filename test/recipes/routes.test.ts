import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { setTemperature, togglePower, TOGGLE_POWER_TEXT } from './samples.ts'

const LINT_URL = '/api/recipes/lint'
const COMPILE_URL = '/api/recipes/compile'
const INPUTS = { room: 'Lobby', degrees: 21 }

const withConfirm = (text_matches: string) => ({
  ...togglePower.steps[3],
  confirm: { selector: { resource_id: 'com.example.climate:id/state' }, text_matches },
})

/** Starts a daemon. `unchanged` checks that no event was written. */
async function startReadOnly(): Promise<{ daemon: Daemon; token: string; unchanged: () => void }> {
  const daemon = await startDaemon()
  const token = await daemon.tokenFor('reader', 'read')
  const before = daemon.events().length
  return { daemon, token, unchanged: () => expect(daemon.events()).toHaveLength(before) }
}

test('a reader can lint a recipe as an object or as a text', async () => {
  const { daemon, token, unchanged } = await startReadOnly()
  const asObject = await daemon.post(LINT_URL, { recipe: setTemperature }, token)
  const asText = await daemon.post(LINT_URL, { text: TOGGLE_POWER_TEXT }, token)

  expect([asObject.statusCode, asText.statusCode]).toEqual([200, 200])
  expect(asObject.json()).toEqual({
    valid: true,
    violations: [],
    recipe_id: setTemperature.recipe_id,
    recipe_type: 'action',
    capabilities: ['observe', 'navigate', 'click', 'toggle'],
    schema_version: 1,
  })
  expect(asText.json()).toMatchObject({ valid: true, recipe_id: togglePower.recipe_id })
  unchanged()
})

test.each([
  [
    'outputs.0.pattern',
    { outputs: [{ ...togglePower.outputs[0], pattern: '(|)'.repeat(66) }] },
    'exactly one capture group',
  ],
  ['outputs.0.pattern', { outputs: [{ ...togglePower.outputs[0], pattern: '(?=a)(b)' }] }, 'uses lookahead'],
  [
    'steps.3.confirm.text_matches',
    { steps: [...togglePower.steps.slice(0, 3), withConfirm('(a)\\1')] },
    'backreference',
  ],
])('a pattern in %s that no linear engine can match is refused', async (path, changes, message) => {
  const { daemon, token } = await startReadOnly()
  const reply = await daemon.post(LINT_URL, { recipe: { ...togglePower, ...changes } }, token)
  expect(reply.json()).toMatchObject({
    valid: false,
    violations: [{ path, message: expect.stringContaining(message) }],
  })
  expect((await daemon.post(COMPILE_URL, { recipe: { ...togglePower, ...changes } }, token)).statusCode).toBe(400)
})

test('violations are returned with their line and status 200', async () => {
  const { daemon, token } = await startReadOnly()
  const text = TOGGLE_POWER_TEXT.replace('type: click', 'type: tap')
  const reply = await daemon.post(LINT_URL, { text, format: 'markdown', blocked_terms: ['appliance'] }, token)

  expect(reply.statusCode).toBe(200)
  expect(reply.json()).toEqual({
    valid: false,
    violations: [
      {
        code: 'RECIPE_ACTION_UNSUPPORTED',
        path: 'steps.2.type',
        line: text.split('\n').indexOf('type: tap') + 1,
        message: expect.any(String),
        rule: 5,
        severity: 'error',
      },
      expect.objectContaining({ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'summary', rule: 8 }),
    ],
    schema_version: 1,
  })
})

test('the compile route returns the execution of compileRecipe', async () => {
  const { daemon, token, unchanged } = await startReadOnly()
  const reply = await daemon.post(COMPILE_URL, { recipe: setTemperature, inputs: INPUTS, timeout_ms: 9000 }, token)
  const expected = compileRecipe(setTemperature, INPUTS, { timeoutMs: 9000 })

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    execution: expected.ok && expected.execution,
    steps: expected.ok && expected.steps,
    capabilities: ['observe', 'navigate', 'click', 'toggle'],
    warnings: [],
    unused_inputs: [],
  })
  unchanged()
})

test('the compile route accepts a template', async () => {
  const { daemon, token } = await startReadOnly()
  const body = {
    text: JSON.stringify({
      commandId: '{{COMMAND_ID}}',
      taskId: '{{TASK_ID}}',
      source: 'debug',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 9000,
      actions: [{ id: 'snap', type: 'snapshot' }],
    }),
    skill_id: 'com.solaxcloud.starter.get-battery',
    artifact_name: 'battery.recipe.json',
    inputs: {},
  }
  const reply = await daemon.post(COMPILE_URL, body, token)
  expect(reply.json()).toMatchObject({
    execution: { commandId: 'cmd-43e1b2cf4595', mode: 'artifact_compiled' },
    unused_inputs: [],
  })
  const { skill_id: _skill, ...nameless } = body
  expect((await daemon.post(COMPILE_URL, nameless, token)).json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'skill_id' } },
  })
})

test('a template is linted as an execution', async () => {
  const { daemon, token } = await startReadOnly()
  const template = (params: object) => ({
    recipe: {
      commandId: '{{COMMAND_ID}}',
      taskId: '{{TASK_ID}}',
      source: 'debug',
      expectedFormat: 'android-ui-automator',
      timeoutMs: 9000,
      actions: [{ id: 'a', type: 'click', params }],
    },
  })
  const good = template({ matcher: { textEquals: '{{TILE}}' } })
  const bad = template({ matcher: { textEquals: "Jane's Home" }, format: 'x' })

  expect((await daemon.post(LINT_URL, good, token)).json()).toMatchObject({ valid: true })
  expect((await daemon.post(LINT_URL, bad, token)).json()).toMatchObject({
    valid: false,
    violations: [
      { rule: 'execution', path: 'actions.0.params' },
      { rule: 8, path: 'actions.0.params.matcher.textEquals' },
    ],
  })
})

test('all missing inputs are listed, and the message names the first', async () => {
  const { daemon, token } = await startReadOnly()
  const request = { recipe: setTemperature, inputs: { colour: 'red' } }
  const reply = await daemon.post(COMPILE_URL, request, token)

  expect(reply.json()).toMatchObject({
    error: {
      code: 'RECIPE_INPUT_MISSING',
      message: 'inputs.degrees: The required input degrees is missing.',
      details: {
        input: 'degrees',
        recipe_id: setTemperature.recipe_id,
        violations: ['colour', 'degrees', 'room'].map((name) => ({ path: `inputs.${name}` })),
      },
    },
  })
})

test.each([
  ['neither', {}],
  ['both', { recipe: togglePower, text: TOGGLE_POWER_TEXT }],
])('a request with %s recipe and text is refused', async (_name, source) => {
  const { daemon, token } = await startReadOnly()
  for (const url of [LINT_URL, COMPILE_URL]) {
    const reply = await daemon.post(url, source, token)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  }
})

test('the blocked terms of the daemon apply to every recipe', async () => {
  const daemon = await startDaemon()
  const linted = async () => (await daemon.post(LINT_URL, { recipe: togglePower })).json<object>()
  expect(await linted()).toMatchObject({ valid: true })

  writeFileSync(join(daemon.home, 'blocked-terms.txt'), '# at home\nappliance\n')
  expect(await linted()).toMatchObject({
    valid: false,
    violations: [{ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'summary' }],
  })
  rmSync(join(daemon.home, 'blocked-terms.txt'))
  expect(await linted()).toMatchObject({ valid: true })
})
