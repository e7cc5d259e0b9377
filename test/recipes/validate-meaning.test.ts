import { expect, test } from 'vitest'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { BUTTON, listErrors, changePlain, changeRich, step, listWarnings, changeStep } from './changed-recipes.ts'
import { setTemperature, togglePower } from './samples.ts'

const RESTART_STEPS: RecipeStep[] = [
  { id: 'stop', type: 'close_app' },
  { id: 'begin', type: 'open_app', params: { application_id: 'com.example.climate' } },
]

test.each<[string, Partial<Recipe>, string[]]>([
  ['restarts the app in its steps', { steps: [...RESTART_STEPS, ...togglePower.steps] }, []],
  ['does not restart the app', {}, ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected']],
  [
    'closes the app and does not open it',
    { steps: [...RESTART_STEPS.slice(0, 1), ...togglePower.steps] },
    ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'],
  ],
  [
    'restarts the app at the end',
    { steps: [...togglePower.steps, ...RESTART_STEPS] },
    ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'],
  ],
  [
    'restarts another app',
    {
      steps: [
        ...RESTART_STEPS.map((one) => ({ ...one, params: { applicationId: 'com.other.app' } })),
        ...togglePower.steps,
      ],
    },
    ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'],
  ],
])('a recipe with fresh_start_injected: false that %s', (_name, changes, errors) => {
  expect(listErrors(changePlain({ fresh_start_injected: false, ...changes }))).toEqual(errors)
})

test('fresh_start_injected: false with resume_ok is a warning', () => {
  const recipe = changePlain({ fresh_start_injected: false, session_policy: 'resume_ok' })
  expect(listErrors(recipe)).toEqual([])
  expect(listWarnings(recipe)).toEqual(['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'])
})

const withoutReading = changePlain({ steps: togglePower.steps.slice(0, 3), outputs: [] })
const MISSING_VERIFICATION = ['7 RECIPE_VERIFICATION_MISSING steps.2']

test.each<[string, Recipe, string[]]>([
  ['no step follows', withoutReading, MISSING_VERIFICATION],
  ['the recipe is a flow with toggle', { ...withoutReading, recipe_type: 'flow' }, MISSING_VERIFICATION],
  ...(['type_text', 'purchase_risk'] as const).map((capability): [string, Recipe, string[]] => [
    `the recipe is a flow with ${capability}`,
    {
      ...withoutReading,
      recipe_type: 'flow',
      capabilities: ['observe', 'navigate', 'click', capability],
    },
    MISSING_VERIFICATION,
  ]),
  [
    'the recipe is a flow without critical capabilities',
    { ...withoutReading, recipe_type: 'flow', capabilities: ['observe', 'navigate', 'click'] },
    [],
  ],
  [
    'the step has confirm',
    changeStep(withoutReading, 'press_power', { confirm: { selector: BUTTON, text_equals: 'On' } }),
    [],
  ],
  ['the step has no effect', changeStep(withoutReading, 'press_power', { params: { effect: 'none' } }), []],
  ['a reading step follows', changeStep(togglePower, 'read_state', { params: {} }), []],
  [
    'the reading step verifies another step',
    changePlain({
      steps: [
        ...togglePower.steps,
        step({ type: 'click', selector: BUTTON }),
        step({
          id: 'look',
          type: 'read_text',
          selector: BUTTON,
          params: { verifies: ['press_power'] },
        }),
      ],
    }),
    ['7 RECIPE_VERIFICATION_MISSING steps.4'],
  ],
  [
    'the reading step names a later step',
    changeStep(togglePower, 'wait_home', { params: { verifies: 'press_power' } }),
    ['7 RECIPE_SCHEMA_INVALID steps.0.params.verifies'],
  ],
  [
    'the verifying step checks nothing',
    changeStep(togglePower, 'press_power', { params: { verifies: 'wait_home' } }),
    ['7 RECIPE_SCHEMA_INVALID steps.2.params.verifies'],
  ],
  ['the recipe has a verification list', setTemperature, []],
  [
    'nothing shows the outcome and the recipe says so',
    changeRich({ verification: undefined, skip_if_done: undefined, checkpoints: undefined, unproven: true }),
    [],
  ],
  ['an unproven recipe has a verification list', changeRich({ unproven: true }), ['7 RECIPE_SCHEMA_INVALID unproven']],
  [
    'an action of dialect 2 has no verification list',
    changeRich({ verification: [] }),
    [
      '7 RECIPE_VERIFICATION_MISSING verification',
      ...[0, 1, 2].map((at) => `7 RECIPE_VERIFICATION_MISSING steps.${at}`),
    ],
  ],
])('verification when %s', (_name, recipe, errors) => {
  expect(listErrors(recipe)).toEqual(errors)
})

const withTypedText = (text: unknown) =>
  changeRich({
    capabilities: ['observe', 'navigate', 'click', 'type_text', 'toggle'],
    steps: [...setTemperature.steps, step({ type: 'enter_text', selector: BUTTON, params: { text } })],
  })

test.each<[string, Recipe, string[]]>([
  ['an undeclared input', withTypedText('${inputs.none}'), ['9 RECIPE_INPUT_UNDECLARED steps.3.params.text']],
  ['an expression', withTypedText('${inputs.room.length}'), ['9 RECIPE_SCHEMA_INVALID steps.3.params.text']],
  ['a nested placeholder', withTypedText('${inputs.${inputs.room}}'), ['9 RECIPE_SCHEMA_INVALID steps.3.params.text']],
  ['a variable of a template', withTypedText('{{ROOM}}'), []],
  ['an escaped placeholder', withTypedText('$${inputs.none}'), []],
  [
    'a text where a number belongs',
    changeStep(setTemperature, 'set_degrees', {
      params: { ...setTemperature.steps[2]?.params, target: '${inputs.room}' },
    }),
    ['execution RECIPE_SCHEMA_INVALID steps.2.params.target'],
  ],
  [
    'a default of another type',
    changeRich({
      inputs: setTemperature.inputs.map((input) => (input.name === 'degrees' ? { ...input, default: 31 } : input)),
    }),
    ['1 RECIPE_INPUT_INVALID inputs.1.default'],
  ],
  [
    'a range with minimum greater than maximum',
    changeRich({
      inputs: setTemperature.inputs.map((input) =>
        input.name === 'degrees' ? { ...input, type: 'integer[9,1]' } : input,
      ),
    }),
    ['1 RECIPE_INPUT_INVALID inputs.1.type'],
  ],
  [
    'choices for a number',
    changeRich({
      inputs: setTemperature.inputs.map((input) => (input.name === 'degrees' ? { ...input, choices: ['1'] } : input)),
    }),
    ['1 RECIPE_INPUT_INVALID inputs.1.choices'],
  ],
])('inputs: %s', (_name, recipe, errors) => {
  expect(listErrors(recipe)).toEqual(errors)
})

test.each<[string, Recipe, string[]]>([
  [
    'an unused input',
    changePlain({
      inputs: [...togglePower.inputs, { name: 'spare', type: 'string', required: false }],
    }),
    ['9 RECIPE_SCHEMA_INVALID inputs.1'],
  ],
  [
    'a selector with only a list position',
    changeStep(togglePower, 'press_power', { selector: { index_in_parent: 2 } }),
    ['index RECIPE_SCHEMA_INVALID steps.2.selector', 'index RECIPE_SCHEMA_INVALID known_quirks'],
  ],
  [
    'a list position with known_quirks',
    changeStep(changePlain({ known_quirks: ['the list grows'] }), 'press_power', {
      selector: { index_in_parent: 2, class: 'a' },
    }),
    [],
  ],
  [
    'a text without an annotation',
    changeStep(togglePower, 'press_power', { selector: { text_equals: 'Power' } }),
    ['8 RECIPE_LITERAL_FORBIDDEN steps.2.selector.text_equals'],
  ],
  [
    'an output without a source',
    changePlain({ outputs: [{ name: 'a', type: 'string' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0'],
  ],
  [
    'a step that looks like a purchase',
    changeStep(togglePower, 'press_power', {
      selector: { text_equals: 'Buy now', annotation: 'STRUCTURAL' },
    }),
    ['capabilities RECIPE_CAPABILITY_UNDECLARED capabilities'],
  ],
])('%s causes only warnings', (_name, recipe, warnings) => {
  expect(listWarnings(recipe)).toEqual(warnings)
  expect(listErrors(recipe)).toEqual([])
})
