import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { setTemperature, togglePower, togglePowerText } from './samples.ts'

const lint = '/api/recipes/lint'
const compile = '/api/recipes/compile'
const inputs = { room: 'Lobby', degrees: 21 }

/** A daemon, and a check that nothing was written while it was asked. */
async function untouched(): Promise<{ daemon: Daemon; token: string; unchanged: () => void }> {
  const daemon = await startDaemon()
  const token = await daemon.tokenFor('reader', 'read')
  const before = daemon.events().length
  return { daemon, token, unchanged: () => expect(daemon.events()).toHaveLength(before) }
}

test('a recipe is linted for whoever may read, as an object or as a text', async () => {
  const { daemon, token, unchanged } = await untouched()
  const asObject = await daemon.post(lint, { recipe: setTemperature }, token)
  const asText = await daemon.post(lint, { text: togglePowerText }, token)

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

test('what is wrong is told with its line, and is no failure of the request', async () => {
  const { daemon, token } = await untouched()
  const text = togglePowerText.replace('type: click', 'type: tap')
  const reply = await daemon.post(
    lint,
    { text, format: 'markdown', blocked_terms: ['appliance'] },
    token,
  )

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

test('a recipe is compiled to the very execution the domain makes', async () => {
  const { daemon, token, unchanged } = await untouched()
  const reply = await daemon.post(
    compile,
    { recipe: setTemperature, inputs, timeout_ms: 9000 },
    token,
  )
  const expected = compileRecipe(setTemperature, inputs, { timeoutMs: 9000 })

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

test('a template is compiled where a recipe would be', async () => {
  const { daemon, token } = await untouched()
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
  const reply = await daemon.post(compile, body, token)
  expect(reply.json()).toMatchObject({
    execution: { commandId: 'cmd-43e1b2cf4595', mode: 'artifact_compiled' },
    unused_inputs: [],
  })
  const { skill_id: _skill, ...nameless } = body
  expect((await daemon.post(compile, nameless, token)).json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'skill_id' } },
  })
})

test('a template is linted by what it would make', async () => {
  const { daemon, token } = await untouched()
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

  expect((await daemon.post(lint, good, token)).json()).toMatchObject({ valid: true })
  expect((await daemon.post(lint, bad, token)).json()).toMatchObject({
    valid: false,
    violations: [
      { rule: 'execution', path: 'actions.0.params' },
      { rule: 8, path: 'actions.0.params.matcher.textEquals' },
    ],
  })
})

test('every missing input is named, the first of them in front', async () => {
  const { daemon, token } = await untouched()
  const asked = { recipe: setTemperature, inputs: { colour: 'red' } }
  const reply = await daemon.post(compile, asked, token)

  expect(reply.json()).toMatchObject({
    error: {
      code: 'RECIPE_INPUT_MISSING',
      message: 'inputs.degrees: The input degrees is missing.',
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
  ['both', { recipe: togglePower, text: togglePowerText }],
])('a request with %s recipe and text is refused', async (_name, source) => {
  const { daemon, token } = await untouched()
  for (const url of [lint, compile]) {
    const reply = await daemon.post(url, source, token)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  }
})

test('words blocked on the machine of the daemon are looked for in every recipe', async () => {
  const daemon = await startDaemon()
  const linted = async () => (await daemon.post(lint, { recipe: togglePower })).json<object>()
  expect(await linted()).toMatchObject({ valid: true })

  writeFileSync(join(daemon.home, 'blocked-terms.txt'), '# at home\nappliance\n')
  expect(await linted()).toMatchObject({
    valid: false,
    violations: [{ code: 'RECIPE_LITERAL_FORBIDDEN', path: 'summary' }],
  })
  rmSync(join(daemon.home, 'blocked-terms.txt'))
  expect(await linted()).toMatchObject({ valid: true })
})
