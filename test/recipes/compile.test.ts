import { expect, test } from 'vitest'
import { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Compiled, compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { validateText } from '../../src/screen/text-validators.ts'
import { setTemperature, togglePower } from './samples.ts'

const INPUTS = { room: 'Lobby', degrees: 21 }

function getExecution(compiled: Compiled): Execution {
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.violations))
  return compiled.execution
}
const compileActions = (recipe: Recipe, inputs: Record<string, unknown>) =>
  getExecution(compileRecipe(recipe, inputs)).actions
const listCodes = (recipe: Recipe, inputs: Record<string, unknown>) => {
  const compiled = compileRecipe(recipe, inputs)
  return compiled.ok ? [] : compiled.violations.map(({ code, path }) => `${code} ${path}`)
}

test('a recipe of dialect 1 compiles to the actions of its steps', () => {
  const compiled = compileRecipe(togglePower, { tile_name: 'Lamp' }, { timeoutMs: 60_000 })
  const { actions, ...marks } = getExecution(compiled)

  expect(marks).toEqual({
    commandId: expect.stringMatching(/^cmd-[0-9a-f]{12}$/),
    taskId: expect.stringMatching(/^task-[0-9a-f]{12}$/),
    source: 'com.example.climate.toggle-power',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 60_000,
    mode: 'artifact_compiled',
  })
  expect(actions).toMatchObject([
    { id: 'session_close', type: 'close_app', params: { applicationId: 'com.example.climate' } },
    { id: 'session_open', type: 'open_app', params: { applicationId: 'com.example.climate' } },
    { id: 'wait_home', type: 'wait_for_node', params: { timeoutMs: 15_000 } },
    {
      id: 'open_tile',
      type: 'scroll_and_click',
      params: { matcher: { textEquals: 'Lamp' } },
      expects: { effect: 'local_state' },
    },
    {
      id: 'press_power',
      type: 'click',
      params: { matcher: { contentDescContains: 'Power' }, retry: { maxAttempts: 3 } },
    },
    { id: 'press_power.wait', type: 'sleep', params: { durationMs: 500 } },
    { id: 'read_state', type: 'read_text' },
  ])
  expect(JSON.stringify(actions)).not.toMatch(/annotation|verifies|"effect":"none"/)
})

test('a recipe of dialect 2 compiles to guarded, typed and verified actions', () => {
  const compiled = compileRecipe(setTemperature, INPUTS)
  const execution = getExecution(compiled)

  expect(execution.dismissals).toEqual([{ textEquals: 'Not now' }])
  expect(execution.actions.slice(2)).toMatchObject([
    { id: 'session_ready', type: 'wait_for_node', params: { matcher: { textEquals: 'Rooms' } } },
    {
      id: 'open_room',
      params: {
        matcher: {
          class: 'android.view.View',
          clickable: true,
          containing: { textEquals: 'Lobby' },
          fallbacks: [{ textContains: 'Lobby' }],
        },
      },
    },
    { id: 'turn_on', type: 'set_checked', params: { checked: true } },
    {
      id: 'set_degrees',
      type: 'adjust_until',
      params: { target: 21, increase: { contentDescEquals: 'Warmer' } },
      unless: { textEquals: 'Locked' },
    },
    { id: 'verify.target', type: 'expect', params: { number: { equals: 21, tolerance: 0 } } },
    { id: 'verify.no-warning', type: 'expect', params: { present: false } },
  ])
  expect(compiled.ok && compiled.steps.slice(3)).toEqual([
    { action_id: 'open_room', step_id: 'open_room', checkpoint_id: 'room-open' },
    { action_id: 'turn_on', step_id: 'turn_on' },
    { action_id: 'set_degrees', step_id: 'set_degrees' },
    { action_id: 'verify.target', step_id: 'verify.target', verification: true },
    { action_id: 'verify.no-warning', step_id: 'verify.no-warning', verification: true },
  ])
})

test('ids are derived from the recipe and its inputs, and the caller may override commandId', () => {
  const id = (recipe: Recipe, inputs: Record<string, unknown>, commandId?: string) =>
    getExecution(compileRecipe(recipe, inputs, { commandId })).commandId
  const first = id(setTemperature, INPUTS)

  expect(id(setTemperature, { degrees: '21', room: 'Lobby', on: 'true' })).toBe(first)
  expect(id(setTemperature, { ...INPUTS, degrees: 22 })).not.toBe(first)
  expect(id({ ...setTemperature, recipe_version: '1.2.1' }, INPUTS)).not.toBe(first)
  expect(id({ ...setTemperature, summary: 'Another' }, INPUTS)).not.toBe(first)
  expect(id(setTemperature, INPUTS, 'run-7')).toBe('run-7')
})

test('a recipe with session policy resume_ok does not restart the app', () => {
  const ids = compileActions({ ...togglePower, session_policy: 'resume_ok' }, { tile_name: 'Lamp' })
  expect(ids.map(({ id }) => id)).not.toContain('session_close')
  expect(ids[0]?.id).toBe('wait_home')
})

test('retries exclude the first attempt and are limited to the maximum of an execution', () => {
  const recipe: Recipe = {
    ...togglePower,
    steps: togglePower.steps.map((step) => (step.id === 'open_tile' ? { ...step, retries: { count: 40 } } : step)),
  }
  const tile = compileActions(recipe, { tile_name: 'Lamp' }).find(({ id }) => id === 'open_tile')
  expect(tile?.params).toMatchObject({
    scrollRetry: { maxAttempts: 10, initialDelayMs: 500 },
    clickRetry: { maxAttempts: 10 },
  })
})

const withConfirm = (recipe: Recipe, text: object): Recipe => ({
  ...recipe,
  steps: recipe.steps.map((step) =>
    ['press_power', 'turn_on'].includes(step.id)
      ? { ...step, confirm: { selector: { resource_id: 'a:id/state' }, ...text } }
      : step,
  ),
})

test('confirm compiles to wait and read in dialect 1 and to expect in dialect 2', () => {
  const plain = compileRecipe(withConfirm(togglePower, { text_equals: 'On (1)' }), {
    tile_name: 'x',
  })
  const rich = compileRecipe(withConfirm(setTemperature, { text_matches: 'On|Off' }), INPUTS)

  expect(getExecution(plain).actions.slice(5, 8)).toMatchObject([
    { id: 'press_power.wait' },
    { id: 'press_power.confirm_wait', type: 'wait_for_node', params: { timeoutMs: 5000 } },
    {
      id: 'press_power.confirm_read',
      type: 'read_text',
      params: { validator: 'regex', validatorPattern: 'On \\(1\\)' },
    },
  ])
  expect(plain.ok && plain.steps.filter(({ confirm }) => confirm)).toEqual([
    { action_id: 'press_power.confirm_wait', step_id: 'press_power', confirm: true },
    { action_id: 'press_power.confirm_read', step_id: 'press_power', confirm: true },
  ])
  expect(getExecution(rich).actions.find(({ id }) => id === 'turn_on.confirm')).toMatchObject({
    type: 'expect',
    params: { text: { matches: 'On|Off' } },
  })
})

test('text_contains is case-insensitive and not a pattern', () => {
  const read = compileActions(withConfirm(togglePower, { text_contains: 'aÄß.' }), {
    tile_name: 'x',
  }).find(({ type, id }) => type === 'read_text' && id.endsWith('.confirm_read'))
  const pattern = read?.type === 'read_text' ? (read.params.validatorPattern ?? '') : ''
  const fits = (text: string) => validateText(text, { validator: 'regex', validatorPattern: pattern }).ok
  expect(['aÄß.', 'say AäSS.'.replace('SS', 'ß'), 'x\nAÄß. y'].map(fits)).toEqual([true, true, true])
  expect(['aÄßx', 'aÄ'].map(fits)).toEqual([false, false])
})

test.each([
  ['no values', {}, ['RECIPE_INPUT_MISSING inputs.degrees', 'RECIPE_INPUT_MISSING inputs.room']],
  ['an empty value', { ...INPUTS, room: '' }, ['RECIPE_INPUT_MISSING inputs.room']],
  ['a blank value', { ...INPUTS, room: ' ' }, ['RECIPE_INPUT_MISSING inputs.room']],
  ['a value out of range', { ...INPUTS, degrees: 31 }, ['RECIPE_INPUT_INVALID inputs.degrees']],
  ['a fraction for an integer', { ...INPUTS, degrees: 20.5 }, ['RECIPE_INPUT_INVALID inputs.degrees']],
  ['a number in exponent notation', { ...INPUTS, degrees: '2e1' }, ['RECIPE_INPUT_INVALID inputs.degrees']],
  ['a text for a boolean', { ...INPUTS, on: 'yes' }, ['RECIPE_INPUT_INVALID inputs.on']],
  ['an object for a text', { ...INPUTS, room: {} }, ['RECIPE_INPUT_INVALID inputs.room']],
  ['a text that is too long', { ...INPUTS, room: 'x'.repeat(4001) }, ['RECIPE_INPUT_INVALID inputs.room']],
  ['a control character', { ...INPUTS, room: 'Lob\u0007by' }, ['RECIPE_INPUT_INVALID inputs.room']],
  ['a tab', { ...INPUTS, room: 'Lob\tby' }, ['RECIPE_INPUT_INVALID inputs.room']],
  ['half of a surrogate pair', { ...INPUTS, room: 'Lob\uD83Dby' }, ['RECIPE_INPUT_INVALID inputs.room']],
  ['an undeclared name', { ...INPUTS, colour: 'red' }, ['RECIPE_INPUT_UNDECLARED inputs.colour']],
  [
    'an undeclared name that every object has',
    { ...INPUTS, toString: 'x' },
    ['RECIPE_INPUT_UNDECLARED inputs.toString'],
  ],
])('inputs with %s are refused', (_name, inputs, codes) => {
  expect(listCodes(setTemperature, inputs)).toEqual(codes)
})

test.each([5, 30, '5', '30'])('%s is in the range', (value) => {
  expect(listCodes(setTemperature, { ...INPUTS, degrees: value })).toEqual([])
})

test('an input named like a method of Object is missing if it is not given', () => {
  const recipe: Recipe = {
    ...setTemperature,
    inputs: [...setTemperature.inputs, { name: 'toString', type: 'string', required: true }],
  }
  expect(listCodes(recipe, INPUTS)).toEqual(['RECIPE_INPUT_MISSING inputs.toString'])
})

test('a checkpoint belongs to the last action of its step', () => {
  const recipe: Recipe = {
    ...setTemperature,
    steps: setTemperature.steps.map((step) => ({ ...step, wait: { after_ms: 100 } })),
  }
  const compiled = compileRecipe(recipe, INPUTS)
  expect(compiled.ok && compiled.steps.filter(({ checkpoint_id }) => checkpoint_id)).toEqual([
    { action_id: 'open_room.wait', step_id: 'open_room', checkpoint_id: 'room-open' },
  ])
})

test('a recipe id longer than the maximum of source is truncated', () => {
  const recipe_id = `com.example.${'x'.repeat(100)}`
  const { source } = getExecution(compileRecipe({ ...setTemperature, recipe_id }, INPUTS))
  expect(source).toBe(recipe_id.slice(0, 64))
})

test('an input with choices accepts only these', () => {
  const recipe: Recipe = {
    ...togglePower,
    inputs: [{ name: 'tile_name', type: 'string', required: true, choices: ['Lamp', 'Fan'] }],
  }
  expect(listCodes(recipe, { tile_name: 'Fan' })).toEqual([])
  expect(listCodes(recipe, { tile_name: 'fan' })).toEqual(['RECIPE_INPUT_INVALID inputs.tile_name'])
})

const withOptionalInput: Recipe = {
  ...setTemperature,
  capabilities: ['observe', 'navigate', 'click', 'type_text', 'toggle'],
  inputs: [...setTemperature.inputs, { name: 'note', type: 'string', required: false }],
}
const withTypedText = (text: string, selector: object = { class: 'x' }): Recipe => ({
  ...withOptionalInput,
  steps: [...withOptionalInput.steps, { id: 'type', type: 'enter_text', selector, params: { text } }],
})

test('an optional input without a value is empty in a longer parameter text and refused elsewhere', () => {
  const typed = compileActions(withTypedText('Hello ${inputs.note}!'), INPUTS).find(({ id }) => id === 'type')
  expect(typed?.params).toMatchObject({ text: 'Hello !' })
  expect(listCodes(withTypedText('${inputs.note}'), INPUTS)).toEqual(['RECIPE_INPUT_MISSING inputs.note'])
  expect(listCodes(withTypedText('x', { class: 'x', text_contains: 'a ${inputs.note}' }), INPUTS)).toEqual([
    'RECIPE_INPUT_MISSING inputs.note',
  ])
})

test('a value is percent-encoded in a URI and escaped in a pattern', () => {
  const recipe: Recipe = {
    ...withOptionalInput,
    steps: [
      ...withOptionalInput.steps,
      { id: 'search', type: 'open_uri', params: { uri: 'shop://find?q=${inputs.note}' } },
      { id: 'go', type: 'open_uri', params: { uri: '${inputs.note}' } },
      {
        id: 'look',
        type: 'expect',
        selector: { class: 'x' },
        params: {
          text: { matches: '${inputs.note} \\d+' },
          number: { equals: '${inputs.degrees}' },
        },
      },
    ],
  }
  const inputs = { ...INPUTS, note: 'a.b&admin=1' }
  const [search, go, look] = compileActions(recipe, inputs).slice(-5)

  expect(search?.params).toMatchObject({ uri: 'shop://find?q=a.b%26admin%3D1' })
  expect(go?.params).toMatchObject({ uri: 'a.b&admin=1' })
  expect(look?.params).toMatchObject({
    text: { matches: 'a\\.b&admin=1 \\d+' },
    number: { equals: 21 },
  })
})

test('a recipe with violations is not compiled, except for violations of rule 8', () => {
  const unverified = { ...togglePower, outputs: [], steps: togglePower.steps.slice(0, 3) }
  expect(listCodes(unverified, { tile_name: 'x' })).toEqual(['RECIPE_VERIFICATION_MISSING steps.2'])
  expect(listCodes({ ...togglePower, summary: "Jane's lamp" }, { tile_name: 'x' })).toEqual([])
})

test('a timeout below the minimum of an execution is refused', () => {
  const compiled = compileRecipe(togglePower, { tile_name: 'x' }, { timeoutMs: 5 })
  expect(compiled).toMatchObject({ ok: false, violations: [{ path: 'timeoutMs' }] })
})

test('a compiled execution is already normalized', () => {
  const execution = getExecution(compileRecipe(setTemperature, INPUTS))
  expect(Execution.parse(JSON.parse(JSON.stringify(execution)))).toEqual(execution)
})
