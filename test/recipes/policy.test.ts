import { expect, test } from 'vitest'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { Action } from '@apprentice/contracts/devices/action.ts'
import { inferExecutionCapabilities, inferCapabilities } from '../../src/knowledge/recipes/lower/capabilities.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { decidePolicy, DEFAULT_PROFILE, describeWork } from '../../src/knowledge/recipes/policy/decide-policy.ts'
import { setTemperature, togglePower } from './samples.ts'

const INPUTS = { tile_name: 'Lamp' }

function listDenied(profile: PolicyProfile, recipe: Recipe, withRecipe = true) {
  const compiled = compileRecipe(recipe, INPUTS)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.violations))
  const { execution } = compiled
  const work = describeWork({ execution, ...(withRecipe && { recipe }) })
  const decision = decidePolicy([profile], { ...work, consent: false })
  return decision.allowed ? [] : [...decision.details.denied_capabilities, ...decision.details.denied_packages]
}

const buyingRecipe: Recipe = {
  ...togglePower,
  steps: togglePower.steps.map((step) =>
    step.id === 'press_power' ? { ...step, selector: { text_equals: 'Buy now' } } : step,
  ),
}

test('the capabilities of a recipe are inferred from its steps', () => {
  expect(inferCapabilities(togglePower)).toEqual(['observe', 'navigate', 'click'])
  expect(inferCapabilities(setTemperature)).toEqual(['observe', 'navigate', 'click', 'toggle'])
})

test.each<[RecipeStep, string[]]>([
  [{ id: 'a', type: 'scroll_and_click', params: { clickAfter: false } }, ['navigate']],
  [{ id: 'a', type: 'scroll_and_click' }, ['navigate', 'click']],
  [{ id: 'a', type: 'scroll_until' }, ['navigate']],
  [{ id: 'a', type: 'scroll_until', params: { click_after: true } }, ['navigate', 'click']],
  [{ id: 'a', type: 'click', params: { click_type: 'long_click' } }, ['click', 'long_click']],
  [{ id: 'a', type: 'enter_text', params: { text: 'y' } }, ['type_text']],
  [{ id: 'a', type: 'set_checked' }, ['observe', 'toggle']],
  [{ id: 'a', type: 'sleep' }, []],
])('the step %j requires %j', (step, capabilities) => {
  const { starts_on: _start, ...rest } = setTemperature
  const bare: Recipe = { ...rest, session_policy: 'resume_ok', verification: [], steps: [step] }
  expect(inferCapabilities(bare)).toEqual(capabilities)
})

test.each<[string, PolicyProfile, Recipe, string[]]>([
  ['no profile is configured', DEFAULT_PROFILE, togglePower, []],
  ['a capability is denied', { name: 'a', deny_capabilities: ['toggle'] }, togglePower, ['toggle']],
  [
    'few capabilities are allowed',
    { name: 'a', allow_capabilities: ['observe', 'navigate'] },
    togglePower,
    ['click', 'toggle'],
  ],
  [
    'a capability is both allowed and denied',
    {
      name: 'a',
      allow_capabilities: ['observe', 'navigate', 'click', 'toggle'],
      deny_capabilities: ['click'],
    },
    togglePower,
    ['click'],
  ],
  ['a package is denied', { name: 'a', deny_packages: ['com.example.*'] }, togglePower, ['com.example.climate']],
  ['only other packages are denied', { name: 'a', deny_packages: ['com.example.cli', 'com.exam.*'] }, togglePower, []],
  ['only other packages are allowed', { name: 'a', allow_packages: ['org.*'] }, togglePower, ['com.example.climate']],
  [
    'a purchase is declared',
    DEFAULT_PROFILE,
    { ...togglePower, capabilities: [...togglePower.capabilities, 'purchase_risk'] },
    ['purchase_risk'],
  ],
  ['a purchase is not declared', DEFAULT_PROFILE, buyingRecipe, ['purchase_risk']],
  [
    'purchases are allowed',
    { name: 'a', allow_capabilities: ['observe', 'navigate', 'click', 'toggle', 'purchase_risk'] },
    buyingRecipe,
    [],
  ],
])('decision when %s', (_name, profile, recipe, denied) => {
  expect(listDenied(profile, recipe)).toEqual(denied)
})

test('an execution without a recipe is judged by its actions', () => {
  expect(listDenied(DEFAULT_PROFILE, buyingRecipe, false)).toEqual(['purchase_risk'])
  expect(listDenied({ name: 'a', deny_packages: ['com.example.climate'] }, togglePower, false)).toEqual([
    'com.example.climate',
  ])
  const compiled = compileRecipe(buyingRecipe, INPUTS)
  expect(compiled.ok && inferExecutionCapabilities(compiled.execution)).toEqual([
    'observe',
    'navigate',
    'click',
    'purchase_risk',
  ])
  const turn = Action.parse({ id: 'turn', type: 'set_orientation', params: { orientation: 'landscape' } })
  expect(inferExecutionCapabilities({ actions: [turn] })).toEqual(['navigate'])
  const erase = Action.parse({ id: 'erase', type: 'press_edit_key', params: { key: 'delete', times: 2 } })
  expect(inferExecutionCapabilities({ actions: [erase] })).toEqual(['type_text'])
})

test('a refusal names the capabilities, the profile and the recipe', () => {
  const compiled = compileRecipe(togglePower, INPUTS)
  const profile: PolicyProfile = { name: 'guest', deny_capabilities: ['toggle', 'click'] }
  const work = compiled.ok && describeWork({ recipe: togglePower, execution: compiled.execution })
  expect(work && decidePolicy([profile], { ...work, consent: false })).toEqual({
    allowed: false,
    code: 'POLICY_DENIED',
    message: 'The profile guest does not allow click, toggle.',
    details: {
      profile: 'guest',
      rule: 'capabilities',
      consent_suffices: false,
      denied_capabilities: ['click', 'toggle'],
      denied_packages: [],
      recipe_id: togglePower.recipe_id,
    },
  })
})
