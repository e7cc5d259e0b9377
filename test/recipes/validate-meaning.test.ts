import { expect, test } from 'vitest'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { button, errorsOf, plain, rich, step, warningsOf, withStep } from './changed-recipes.ts'
import { setTemperature, togglePower } from './samples.ts'

const restart: RecipeStep[] = [
  { id: 'stop', type: 'close_app' },
  { id: 'begin', type: 'open_app', params: { application_id: 'com.example.climate' } },
]

test.each<[string, Partial<Recipe>, string[]]>([
  ['restarts by itself', { steps: [...restart, ...togglePower.steps] }, []],
  ['says so and does not', {}, ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected']],
  [
    'closes and does not open',
    { steps: [...restart.slice(0, 1), ...togglePower.steps] },
    ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'],
  ],
  [
    'does it too late',
    { steps: [...togglePower.steps, ...restart] },
    ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'],
  ],
  [
    'restarts another app',
    {
      steps: [
        ...restart.map((one) => ({ ...one, params: { applicationId: 'com.other.app' } })),
        ...togglePower.steps,
      ],
    },
    ['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'],
  ],
])('a recipe with nothing injected that %s', (_name, changes, errors) => {
  expect(errorsOf(plain({ fresh_start_injected: false, ...changes }))).toEqual(errors)
})

test('injecting nothing into what resumes is only odd', () => {
  const recipe = plain({ fresh_start_injected: false, session_policy: 'resume_ok' })
  expect(errorsOf(recipe)).toEqual([])
  expect(warningsOf(recipe)).toEqual(['session RECIPE_SESSION_POLICY_INVALID fresh_start_injected'])
})

const unread = plain({ steps: togglePower.steps.slice(0, 3), outputs: [] })
const missing = ['7 RECIPE_VERIFICATION_MISSING steps.2']

test.each<[string, Recipe, string[]]>([
  ['nothing follows', unread, missing],
  ['only the recipe is a flow, and toggles', { ...unread, recipe_type: 'flow' }, missing],
  ...(['type_text', 'purchase_risk'] as const).map((capability): [string, Recipe, string[]] => [
    `the recipe is a flow with ${capability}`,
    { ...unread, recipe_type: 'flow', capabilities: ['observe', 'navigate', 'click', capability] },
    missing,
  ]),
  [
    'a flow that changes nothing grave',
    { ...unread, recipe_type: 'flow', capabilities: ['observe', 'navigate', 'click'] },
    [],
  ],
  [
    'it confirms itself',
    withStep(unread, 'press_power', { confirm: { selector: button, text_equals: 'On' } }),
    [],
  ],
  ['it has no effect', withStep(unread, 'press_power', { params: { effect: 'none' } }), []],
  ['any reading follows', withStep(togglePower, 'read_state', { params: {} }), []],
  [
    'the reading is of another step',
    plain({
      steps: [
        ...togglePower.steps,
        step({ type: 'click', selector: button }),
        step({
          id: 'look',
          type: 'read_text',
          selector: button,
          params: { verifies: ['press_power'] },
        }),
      ],
    }),
    ['7 RECIPE_VERIFICATION_MISSING steps.4'],
  ],
  [
    'the reading names what comes later',
    withStep(togglePower, 'wait_home', { params: { verifies: 'press_power' } }),
    ['7 RECIPE_SCHEMA_INVALID steps.0.params.verifies'],
  ],
  [
    'what verifies checks nothing',
    withStep(togglePower, 'press_power', { params: { verifies: 'wait_home' } }),
    ['7 RECIPE_SCHEMA_INVALID steps.2.params.verifies'],
  ],
  ['the outcome is verified', setTemperature, []],
  [
    'an action of the second dialect has no outcome',
    rich({ verification: [] }),
    [
      '7 RECIPE_VERIFICATION_MISSING verification',
      ...[0, 1, 2].map((at) => `7 RECIPE_VERIFICATION_MISSING steps.${at}`),
    ],
  ],
])('verification when %s', (_name, recipe, errors) => {
  expect(errorsOf(recipe)).toEqual(errors)
})

const typedIn = (text: unknown) =>
  rich({
    capabilities: ['observe', 'navigate', 'click', 'type_text', 'toggle'],
    steps: [
      ...setTemperature.steps,
      step({ type: 'enter_text', selector: button, params: { text } }),
    ],
  })

test.each<[string, Recipe, string[]]>([
  [
    'an undeclared input',
    typedIn('${inputs.none}'),
    ['9 RECIPE_INPUT_UNDECLARED steps.3.params.text'],
  ],
  [
    'an expression',
    typedIn('${inputs.room.length}'),
    ['9 RECIPE_SCHEMA_INVALID steps.3.params.text'],
  ],
  [
    'a nested placeholder',
    typedIn('${inputs.${inputs.room}}'),
    ['9 RECIPE_SCHEMA_INVALID steps.3.params.text'],
  ],
  ['a variable of a template', typedIn('{{ROOM}}'), []],
  ['a written-out placeholder', typedIn('$${inputs.none}'), []],
  [
    'a text where a number belongs',
    withStep(setTemperature, 'set_degrees', {
      params: { ...setTemperature.steps[2]?.params, target: '${inputs.room}' },
    }),
    ['execution RECIPE_SCHEMA_INVALID steps.2.params.target'],
  ],
  [
    'a default of another type',
    rich({
      inputs: setTemperature.inputs.map((input) =>
        input.name === 'degrees' ? { ...input, default: 31 } : input,
      ),
    }),
    ['1 RECIPE_INPUT_INVALID inputs.1.default'],
  ],
  [
    'a range upside down',
    rich({
      inputs: setTemperature.inputs.map((input) =>
        input.name === 'degrees' ? { ...input, type: 'integer[9,1]' } : input,
      ),
    }),
    ['1 RECIPE_INPUT_INVALID inputs.1.type'],
  ],
  [
    'choices of a number',
    rich({
      inputs: setTemperature.inputs.map((input) =>
        input.name === 'degrees' ? { ...input, choices: ['1'] } : input,
      ),
    }),
    ['1 RECIPE_INPUT_INVALID inputs.1.choices'],
  ],
])('inputs: %s', (_name, recipe, errors) => {
  expect(errorsOf(recipe)).toEqual(errors)
})

test.each<[string, Recipe, string[]]>([
  [
    'an input nobody uses',
    plain({ inputs: [...togglePower.inputs, { name: 'spare', type: 'string', required: false }] }),
    ['9 RECIPE_SCHEMA_INVALID inputs.1'],
  ],
  [
    'a place in a list alone',
    withStep(togglePower, 'press_power', { selector: { index_in_parent: 2 } }),
    ['index RECIPE_SCHEMA_INVALID steps.2.selector', 'index RECIPE_SCHEMA_INVALID known_quirks'],
  ],
  [
    'a place in a list that is explained',
    withStep(plain({ known_quirks: ['the list grows'] }), 'press_power', {
      selector: { index_in_parent: 2, class: 'a' },
    }),
    [],
  ],
  [
    'words without an annotation',
    withStep(togglePower, 'press_power', { selector: { text_equals: 'Power' } }),
    ['8 RECIPE_LITERAL_FORBIDDEN steps.2.selector.text_equals'],
  ],
  [
    'an output without a source',
    plain({ outputs: [{ name: 'a', type: 'string' }] }),
    ['outputs RECIPE_SCHEMA_INVALID outputs.0'],
  ],
  [
    'what looks like a purchase',
    withStep(togglePower, 'press_power', {
      selector: { text_equals: 'Buy now', annotation: 'STRUCTURAL' },
    }),
    ['capabilities RECIPE_CAPABILITY_UNDECLARED capabilities'],
  ],
])('%s is a warning', (_name, recipe, warnings) => {
  expect(warningsOf(recipe)).toEqual(warnings)
  expect(errorsOf(recipe)).toEqual([])
})
