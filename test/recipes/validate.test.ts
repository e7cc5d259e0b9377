import { expect, test } from 'vitest'
import { DIALECT_2_TYPES, type Recipe, type RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { readRecipe } from '../../src/knowledge/recipes/check/parse-recipe.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { BUTTON, listErrors, changePlain, changeRich, step, changeStep } from './changed-recipes.ts'
import { setTemperature, togglePower } from './samples.ts'

const omit = <T extends object>(whole: T, key: keyof T) => {
  const { [key]: _gone, ...rest } = whole
  return rest as T
}
test('the sample recipes are valid', () => {
  expect(validateRecipe(togglePower)).toEqual([])
  expect(validateRecipe(setTemperature)).toEqual([])
})

test.each([
  'recipe_id',
  'recipe_version',
  'recipe_type',
  'application_id',
  'summary',
  'frameworks',
  'session_policy',
  'app_build',
  'tested_on',
  'capabilities',
  'inputs',
  'outputs',
  'steps',
] as const)('%s is required', (key) => {
  const read = readRecipe(omit(togglePower, key))
  expect('violations' in read && read.violations).toEqual([
    expect.objectContaining({ path: key, message: `${key} is required`, severity: 'error' }),
  ])
})

test('a recipe without steps is refused', () => {
  expect(listErrors(changePlain({ steps: [], outputs: [] }))).toEqual([
    '4 RECIPE_SCHEMA_INVALID steps',
    '7 RECIPE_VERIFICATION_MISSING steps',
  ])
})

test.each(DIALECT_2_TYPES)('the step type %s is refused in dialect 1', (type) => {
  const recipe = changePlain({ steps: [...togglePower.steps, step({ type })] })
  expect(listErrors(recipe)).toContain('5 RECIPE_ACTION_UNSUPPORTED steps.4.type')
})

test.each<[string, Recipe, string]>([
  [
    'a selector key',
    changeStep(togglePower, 'press_power', { selector: { any_of: [{ role: 'button' }] } }),
    '6 RECIPE_SELECTOR_KEY_UNKNOWN steps.2.selector.any_of.0.role',
  ],
  ['a guard', changeStep(togglePower, 'press_power', { when: BUTTON }), 'dialect RECIPE_SCHEMA_INVALID steps.2.when'],
  ['dismissals', changePlain({ dismissals: [BUTTON] }), 'dialect RECIPE_SCHEMA_INVALID dismissals'],
])('%s of dialect 2 is refused in dialect 1', (_name, recipe, violation) => {
  expect(listErrors(recipe)).toEqual([violation])
})

test.each<[string, Recipe, string[]]>([
  [
    'a step without its selector',
    changeStep(togglePower, 'press_power', { selector: undefined }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.selector'],
  ],
  [
    'a selector for a type without target',
    changeStep(togglePower, 'wait_home', { type: 'sleep', params: { durationMs: 1 } }),
    ['4 RECIPE_SCHEMA_INVALID steps.0.selector'],
  ],
  [
    'a selector beside a coordinate',
    changeStep(togglePower, 'press_power', { params: { coordinate: { x: 1, y: 1 } } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.selector'],
  ],
  [
    'a matcher among the parameters',
    changeStep(togglePower, 'press_power', { params: { matcher: { textEquals: 'x' } } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.params.matcher'],
  ],
  [
    'an alias of a parameter',
    changeStep(togglePower, 'press_power', { params: { element: { text: 'x' } } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.params.element'],
  ],
  [
    'a parameter in two spellings',
    changeStep(togglePower, 'press_power', { params: { clickType: 'click', click_type: 'click' } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.params.click_type'],
  ],
  [
    'an invalid parameter value',
    changeStep(togglePower, 'wait_home', { params: { timeoutMs: 0 } }),
    ['execution RECIPE_SCHEMA_INVALID steps.0.params.timeoutMs'],
  ],
  [
    'a container for a type without container',
    changeRich({
      steps: [...setTemperature.steps, step({ type: 'press_key', container: BUTTON, params: { key: 'back' } })],
    }),
    ['4 RECIPE_SCHEMA_INVALID steps.3.container'],
  ],
  [
    'retries for a type without retries',
    changeRich({
      steps: [...setTemperature.steps, step({ type: 'expect', selector: BUTTON, retries: { count: 1 } })],
    }),
    ['4 RECIPE_SCHEMA_INVALID steps.3.retries'],
  ],
  [
    'fallbacks without a selector',
    changeRich({
      steps: [
        ...setTemperature.steps,
        step({ type: 'enter_text', fallbacks: [BUTTON], params: { intoFocus: true, text: 'x' } }),
      ],
      capabilities: ['observe', 'navigate', 'click', 'type_text', 'toggle'],
    }),
    ['4 RECIPE_SCHEMA_INVALID steps.3.fallbacks'],
  ],
  [
    'confirm together with when',
    changeStep(setTemperature, 'open_room', { when: BUTTON, confirm: { selector: BUTTON } }),
    ['4 RECIPE_SCHEMA_INVALID steps.0.confirm'],
  ],
  [
    'an invalid selector parameter',
    changeStep(setTemperature, 'set_degrees', {
      params: { value: { any_of: 'x', xpath: 'y' }, target: 1, slider: BUTTON },
    }),
    ['6 RECIPE_SCHEMA_INVALID steps.2.params.value.any_of', '6 RECIPE_SELECTOR_KEY_UNKNOWN steps.2.params.value.xpath'],
  ],
])('%s is refused', (_name, recipe, violations) => {
  expect(listErrors(recipe).toSorted()).toEqual(violations.toSorted())
})

test.each<[string, Recipe, string[]]>([
  [
    'two steps with the same id',
    changePlain({
      steps: [...togglePower.steps, { ...togglePower.steps[0], id: 'read_state' } as RecipeStep],
    }),
    ['ids RECIPE_DUPLICATE_ID steps.4.id'],
  ],
  [
    'a reserved step id',
    changeStep(changePlain({ outputs: [] }), 'wait_home', { id: 'session_open' }),
    ['ids RECIPE_DUPLICATE_ID steps.0.id'],
  ],
  [
    'a step id equal to a generated id',
    changeStep(togglePower, 'wait_home', { id: 'press_power.wait' }),
    ['ids RECIPE_DUPLICATE_ID steps.2.id'],
  ],
  [
    'a checkpoint after an unknown step',
    changeRich({ checkpoints: [{ checkpoint_id: 'a', after_step: 'nowhere' }] }),
    ['checkpoints RECIPE_SCHEMA_INVALID checkpoints.0.after_step'],
  ],
  [
    'two checkpoints after one step',
    changeRich({
      checkpoints: ['a', 'b'].map((checkpoint_id) => ({ checkpoint_id, after_step: 'turn_on' })),
    }),
    ['ids RECIPE_DUPLICATE_ID checkpoints.1.after_step'],
  ],
  [
    'an output of an unknown step',
    changePlain({ outputs: [{ name: 'a', type: 'string', from: 'nowhere' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.from'],
  ],
  [
    'an output of a step that reads nothing',
    changePlain({ outputs: [{ name: 'a', type: 'string', from: 'press_power' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.from'],
  ],
  [
    'a pattern without a group',
    changePlain({ outputs: [{ name: 'a', type: 'string', from: 'read_state', pattern: '\\d+' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.pattern'],
  ],
  [
    'an invalid pattern',
    changePlain({ outputs: [{ name: 'a', type: 'string', from: 'read_state', pattern: '(' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.pattern'],
  ],
  [
    'two inputs with the same name',
    changePlain({ inputs: [...togglePower.inputs, ...togglePower.inputs] }),
    ['ids RECIPE_DUPLICATE_ID inputs.1.name'],
  ],
  [
    'an empty version range',
    changePlain({ compatibility: { min_version_code: 2, max_version_code: 1 } }),
    ['1 RECIPE_SCHEMA_INVALID compatibility'],
  ],
  [
    'a probe with acting steps',
    changePlain({ recipe_type: 'probe' }),
    ['probe RECIPE_ACTION_UNSUPPORTED steps.1.type', 'probe RECIPE_ACTION_UNSUPPORTED steps.2.type'],
  ],
  [
    'an undeclared capability',
    changePlain({ capabilities: ['observe', 'navigate'] }),
    ['capabilities RECIPE_CAPABILITY_UNDECLARED capabilities'],
  ],
])('%s is refused', (_name, recipe, violations) => {
  expect(listErrors(recipe)).toEqual(violations)
})

test('a recipe may need several executions and has at most 300 steps', () => {
  const rest = (at: number) => step({ id: `r${at}`, type: 'sleep', params: { durationMs: 1 } })
  const steps = Array.from({ length: 300 - togglePower.steps.length }, (_, at) => rest(at))
  const recipe = changePlain({ steps: [...togglePower.steps, ...steps] })
  expect(listErrors(recipe)).toEqual([])
  const compiled = compileRecipe(recipe, { tile_name: 'Lamp' })
  expect(compiled).toMatchObject({ ok: false, violations: [{ rule: 'size', path: 'steps' }] })
})
