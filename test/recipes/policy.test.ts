import { expect, test } from 'vitest'
import type { PolicyProfile } from '@apprentice/contracts/recipes/policy.ts'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import {
  inferExecutionCapabilities,
  inferCapabilities,
} from '../../src/knowledge/recipes/lower/capabilities.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { DEFAULT_PROFILE, decidePolicy } from '../../src/knowledge/recipes/compile/policy.ts'
import { setTemperature, togglePower } from './samples.ts'

const inputs = { tile_name: 'Lamp' }

function decide(profile: PolicyProfile, recipe: Recipe, withRecipe = true) {
  const compiled = compileRecipe(recipe, inputs)
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.violations))
  const { execution } = compiled
  const decision = decidePolicy(profile, { execution, ...(withRecipe && { recipe }) })
  return decision.allowed
    ? []
    : [...decision.details.denied_capabilities, ...decision.details.denied_packages]
}

const buying: Recipe = {
  ...togglePower,
  steps: togglePower.steps.map((step) =>
    step.id === 'press_power' ? { ...step, selector: { text_equals: 'Buy now' } } : step,
  ),
}

test('what a recipe does is told by its steps', () => {
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
])('%j needs %j', (step, capabilities) => {
  const { starts_on: _start, ...rest } = setTemperature
  const bare: Recipe = { ...rest, session_policy: 'resume_ok', verification: [], steps: [step] }
  expect(inferCapabilities(bare)).toEqual(capabilities)
})

test.each<[string, PolicyProfile, Recipe, string[]]>([
  ['nobody has set one', DEFAULT_PROFILE, togglePower, []],
  ['a capability is denied', { name: 'a', deny_capabilities: ['toggle'] }, togglePower, ['toggle']],
  [
    'few are allowed',
    { name: 'a', allow_capabilities: ['observe', 'navigate'] },
    togglePower,
    ['click', 'toggle'],
  ],
  [
    'what is allowed is also denied',
    {
      name: 'a',
      allow_capabilities: ['observe', 'navigate', 'click', 'toggle'],
      deny_capabilities: ['click'],
    },
    togglePower,
    ['click'],
  ],
  [
    'a package is denied',
    { name: 'a', deny_packages: ['com.example.*'] },
    togglePower,
    ['com.example.climate'],
  ],
  [
    'a longer name is another',
    { name: 'a', deny_packages: ['com.example.cli', 'com.exam.*'] },
    togglePower,
    [],
  ],
  [
    'other packages are allowed',
    { name: 'a', allow_packages: ['org.*'] },
    togglePower,
    ['com.example.climate'],
  ],
  [
    'a purchase is declared',
    DEFAULT_PROFILE,
    { ...togglePower, capabilities: [...togglePower.capabilities, 'purchase_risk'] },
    ['purchase_risk'],
  ],
  ['a purchase is not declared', DEFAULT_PROFILE, buying, ['purchase_risk']],
  [
    'purchases are allowed',
    { name: 'a', allow_capabilities: ['observe', 'navigate', 'click', 'toggle', 'purchase_risk'] },
    buying,
    [],
  ],
])('the policy when %s', (_name, profile, recipe, denied) => {
  expect(decide(profile, recipe)).toEqual(denied)
})

test('an execution without a recipe is judged by what it does', () => {
  expect(decide(DEFAULT_PROFILE, buying, false)).toEqual(['purchase_risk'])
  expect(decide({ name: 'a', deny_packages: ['com.example.climate'] }, togglePower, false)).toEqual(
    ['com.example.climate'],
  )
  const compiled = compileRecipe(buying, inputs)
  expect(compiled.ok && inferExecutionCapabilities(compiled.execution)).toEqual([
    'observe',
    'navigate',
    'click',
    'purchase_risk',
  ])
})

test('a refusal says what, for whom and of which recipe', () => {
  const compiled = compileRecipe(togglePower, inputs)
  const profile: PolicyProfile = { name: 'guest', deny_capabilities: ['toggle', 'click'] }
  expect(compiled.ok && decidePolicy(profile, { recipe: togglePower, ...compiled })).toEqual({
    allowed: false,
    code: 'POLICY_DENIED',
    message: 'The profile guest does not allow click, toggle.',
    details: {
      profile: 'guest',
      denied_capabilities: ['click', 'toggle'],
      denied_packages: [],
      recipe_id: togglePower.recipe_id,
    },
  })
})
