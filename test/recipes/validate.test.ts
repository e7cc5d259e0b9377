import { expect, test } from 'vitest'
import {
  DIALECT_2_TYPES,
  type Recipe,
  type RecipeStep,
} from '@apprentice/contracts/recipes/recipe.ts'
import { readRecipe } from '../../src/knowledge/recipes/check/parse-recipe.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { button, errorsOf, plain, rich, step, withStep } from './changed-recipes.ts'
import { setTemperature, togglePower } from './samples.ts'

const without = <T extends object>(whole: T, key: keyof T) => {
  const { [key]: _gone, ...rest } = whole
  return rest as T
}
test('the samples break no rule', () => {
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
  const read = readRecipe(without(togglePower, key))
  expect('violations' in read && read.violations).toEqual([
    expect.objectContaining({ path: key, message: 'This is required', severity: 'error' }),
  ])
})

test('the front matter alone, with a capability and no steps, proves nothing', () => {
  expect(errorsOf(plain({ steps: [], outputs: [] }))).toEqual([
    '4 RECIPE_SCHEMA_INVALID steps',
    '7 RECIPE_VERIFICATION_MISSING steps',
  ])
})

test.each(DIALECT_2_TYPES)('%s is not of the first dialect', (type) => {
  const recipe = plain({ steps: [...togglePower.steps, step({ type })] })
  expect(errorsOf(recipe)).toContain('5 RECIPE_ACTION_UNSUPPORTED steps.4.type')
})

test.each<[string, Recipe, string]>([
  [
    'a selector key',
    withStep(togglePower, 'press_power', { selector: { any_of: [{ role: 'button' }] } }),
    '6 RECIPE_SELECTOR_KEY_UNKNOWN steps.2.selector.any_of.0.role',
  ],
  [
    'a guard',
    withStep(togglePower, 'press_power', { when: button }),
    'dialect RECIPE_SCHEMA_INVALID steps.2.when',
  ],
  ['dismissals', plain({ dismissals: [button] }), 'dialect RECIPE_SCHEMA_INVALID dismissals'],
])('%s of the second dialect is not of the first', (_name, recipe, violation) => {
  expect(errorsOf(recipe)).toEqual([violation])
})

test.each<[string, Recipe, string[]]>([
  [
    'a step without its target',
    withStep(togglePower, 'press_power', { selector: undefined }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.selector'],
  ],
  [
    'a target that is not taken',
    withStep(togglePower, 'wait_home', { type: 'sleep', params: { durationMs: 1 } }),
    ['4 RECIPE_SCHEMA_INVALID steps.0.selector'],
  ],
  [
    'a selector beside a coordinate',
    withStep(togglePower, 'press_power', { params: { coordinate: { x: 1, y: 1 } } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.selector'],
  ],
  [
    'a matcher among the parameters',
    withStep(togglePower, 'press_power', { params: { matcher: { textEquals: 'x' } } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.params.matcher'],
  ],
  [
    'an alias of a parameter',
    withStep(togglePower, 'press_power', { params: { element: { text: 'x' } } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.params.element'],
  ],
  [
    'a parameter in two spellings',
    withStep(togglePower, 'press_power', { params: { clickType: 'click', click_type: 'click' } }),
    ['4 RECIPE_SCHEMA_INVALID steps.2.params.click_type'],
  ],
  [
    'a parameter the action refuses',
    withStep(togglePower, 'wait_home', { params: { timeoutMs: 0 } }),
    ['execution RECIPE_SCHEMA_INVALID steps.0.params.timeoutMs'],
  ],
  [
    'a container where none is taken',
    rich({
      steps: [
        ...setTemperature.steps,
        step({ type: 'press_key', container: button, params: { key: 'back' } }),
      ],
    }),
    ['4 RECIPE_SCHEMA_INVALID steps.3.container'],
  ],
  [
    'retries of what is not done again',
    rich({
      steps: [
        ...setTemperature.steps,
        step({ type: 'expect', selector: button, retries: { count: 1 } }),
      ],
    }),
    ['4 RECIPE_SCHEMA_INVALID steps.3.retries'],
  ],
  [
    'fallbacks of nothing',
    rich({
      steps: [
        ...setTemperature.steps,
        step({ type: 'enter_text', fallbacks: [button], params: { intoFocus: true, text: 'x' } }),
      ],
      capabilities: ['observe', 'navigate', 'click', 'type_text', 'toggle'],
    }),
    ['4 RECIPE_SCHEMA_INVALID steps.3.fallbacks'],
  ],
  [
    'a confirmed step that may be left out',
    withStep(setTemperature, 'open_room', { when: button, confirm: { selector: button } }),
    ['4 RECIPE_SCHEMA_INVALID steps.0.confirm'],
  ],
  [
    'a parameter that is to be a selector',
    withStep(setTemperature, 'set_degrees', {
      params: { value: { any_of: 'x', xpath: 'y' }, target: 1, slider: button },
    }),
    [
      '6 RECIPE_SCHEMA_INVALID steps.2.params.value.any_of',
      '6 RECIPE_SELECTOR_KEY_UNKNOWN steps.2.params.value.xpath',
    ],
  ],
])('%s is refused', (_name, recipe, violations) => {
  expect(errorsOf(recipe).toSorted()).toEqual(violations.toSorted())
})

test.each<[string, Recipe, string[]]>([
  [
    'two steps of one name',
    plain({
      steps: [...togglePower.steps, { ...togglePower.steps[0], id: 'read_state' } as RecipeStep],
    }),
    ['ids RECIPE_DUPLICATE_ID steps.4.id'],
  ],
  [
    'a name the compiler gives',
    withStep(plain({ outputs: [] }), 'wait_home', { id: 'session_open' }),
    ['ids RECIPE_DUPLICATE_ID steps.0.id'],
  ],
  [
    'a name that is made of another',
    withStep(togglePower, 'wait_home', { id: 'press_power.wait' }),
    ['ids RECIPE_DUPLICATE_ID steps.2.id'],
  ],
  [
    'a checkpoint after no step',
    rich({ checkpoints: [{ checkpoint_id: 'a', after_step: 'nowhere' }] }),
    ['checkpoints RECIPE_SCHEMA_INVALID checkpoints.0.after_step'],
  ],
  [
    'two checkpoints after one step',
    rich({
      checkpoints: ['a', 'b'].map((checkpoint_id) => ({ checkpoint_id, after_step: 'turn_on' })),
    }),
    ['ids RECIPE_DUPLICATE_ID checkpoints.1.after_step'],
  ],
  [
    'an output of no step',
    plain({ outputs: [{ name: 'a', type: 'string', from: 'nowhere' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.from'],
  ],
  [
    'an output of a step that reads nothing',
    plain({ outputs: [{ name: 'a', type: 'string', from: 'press_power' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.from'],
  ],
  [
    'a pattern without a group',
    plain({ outputs: [{ name: 'a', type: 'string', from: 'read_state', pattern: '\\d+' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.pattern'],
  ],
  [
    'a pattern that is none',
    plain({ outputs: [{ name: 'a', type: 'string', from: 'read_state', pattern: '(' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0.pattern'],
  ],
  [
    'two inputs of one name',
    plain({ inputs: [...togglePower.inputs, ...togglePower.inputs] }),
    ['ids RECIPE_DUPLICATE_ID inputs.1.name'],
  ],
  [
    'an impossible range of versions',
    plain({ compatibility: { min_version_code: 2, max_version_code: 1 } }),
    ['1 RECIPE_SCHEMA_INVALID compatibility'],
  ],
  [
    'a probe that touches',
    plain({ recipe_type: 'probe' }),
    [
      'probe RECIPE_ACTION_UNSUPPORTED steps.1.type',
      'probe RECIPE_ACTION_UNSUPPORTED steps.2.type',
    ],
  ],
  [
    'an undeclared capability',
    plain({ capabilities: ['observe', 'navigate'] }),
    ['capabilities RECIPE_CAPABILITY_UNDECLARED capabilities'],
  ],
])('%s is refused', (_name, recipe, violations) => {
  expect(errorsOf(recipe)).toEqual(violations)
})

test('more actions than an execution takes are too many, however few the steps', () => {
  const rest = (at: number) => step({ id: `r${at}`, type: 'sleep', params: { durationMs: 1 } })
  const steps = Array.from({ length: 42 }, (_, at) => rest(at))
  const recipe = plain({ steps: [...togglePower.steps, ...steps] })
  expect(errorsOf(recipe)).toEqual([])
  const extra = { ...rest(99), wait: { after_ms: 1 } }
  expect(errorsOf({ ...recipe, steps: [...recipe.steps, extra] })).toEqual([
    'size RECIPE_SCHEMA_INVALID steps',
  ])
})
