import { expect, test } from 'vitest'
import { Recipe, type RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { mergeRecipes } from '../../src/knowledge/interpret/improve/merge-recipes.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'

const id = (name: string) => `org.example.app:id/${name}`

const press = (name: string, more: Partial<RecipeStep> = {}): RecipeStep => ({
  id: `press_${name}`,
  type: 'click',
  selector: { resource_id: id(name), annotation: 'STRUCTURAL' },
  ...more,
})

const type = (input: string, field = input): RecipeStep => ({
  id: `fill_${input}`,
  type: 'enter_text',
  selector: { resource_id: id(field), annotation: 'STRUCTURAL' },
  params: { text: `\${inputs.${input}}` },
})

interface Parts {
  readonly steps: RecipeStep[]
  readonly inputs?: readonly string[]
  readonly checks?: readonly string[]
  readonly more?: Partial<Recipe>
}

const build = ({ steps, inputs = [], checks = ['saved'], more = {} }: Parts): Recipe =>
  Recipe.parse({
    recipe_id: 'org.example.app.flow',
    recipe_version: '1.0.0',
    recipe_type: 'action',
    recipe_dialect: 2,
    application_id: 'org.example.app',
    summary: 'Do it',
    frameworks: ['unknown'],
    session_policy: 'fresh',
    app_build: { version_name: '1', version_code: 1 },
    tested_on: { android_api: 34 },
    capabilities: ['observe', 'navigate', 'click', 'type_text'],
    inputs: inputs.map((name) => ({ name, type: 'string', required: true, summary: `The ${name}` })),
    outputs: [],
    steps,
    verification: checks.map((name) => ({ id: name, selector: { resource_id: id(name) } })),
    ...more,
  })

const listIds = ({ steps }: Recipe): string[] => steps.map((step) => step.id)

function merge(installed: Recipe, shown: Recipe, from_start = true) {
  const merged = mergeRecipes(installed, { recipe: shown, from_start })
  const values = Object.fromEntries(merged.recipe.inputs.map(({ name }) => [name, 'x']))
  expect(compileRecipe(merged.recipe, values)).toMatchObject({ ok: true })
  return merged
}

const STEPS = [press('list'), press('more'), press('edit'), type('text'), press('save')]
const INSTALLED = build({ steps: STEPS, inputs: ['text'] })

test('steps between two shared steps are replaced, and the steps behind them stay', () => {
  const shown = build({ steps: [press('list'), press('pencil'), type('text')], inputs: ['text'], checks: ['typed'] })
  const { recipe, checks } = merge(INSTALLED, shown)
  expect(listIds(recipe)).toEqual(['press_list', 'press_pencil', 'fill_text', 'press_save'])
  expect(checks).toBe('installed')
  expect(recipe.verification).toEqual(INSTALLED.verification)
})

test('a step behind the last shared one is added, and nothing is removed', () => {
  const shown = build({ steps: [press('list'), press('more'), press('star')], checks: [] })
  expect(listIds(merge(INSTALLED, shown).recipe)).toEqual([
    'press_list',
    'press_more',
    'press_star',
    'press_edit',
    'fill_text',
    'press_save',
  ])
})

test('a demonstration that began inside the app adds steps before the first shared one and removes none', () => {
  const shown = build({ steps: [press('star'), press('edit')], checks: [] })
  expect(listIds(merge(INSTALLED, shown, false).recipe)).toEqual([
    'press_list',
    'press_more',
    'press_star',
    'press_edit',
    'fill_text',
    'press_save',
  ])
  expect(listIds(merge(INSTALLED, shown, true).recipe)).toEqual(['press_star', 'press_edit', 'fill_text', 'press_save'])
})

test('a demonstration to the end replaces the steps and the checks, also if the last step is another one', () => {
  const other = { checks: ['saved', 'toast'] }
  const shown = build({
    steps: [press('list'), press('edit'), type('text'), press('done')],
    inputs: ['text'],
    ...other,
  })
  const { recipe, checks } = merge(INSTALLED, shown)
  expect(listIds(recipe)).toEqual(['press_list', 'press_edit', 'fill_text', 'press_done'])
  expect(checks).toBe('demonstrated')
  expect(recipe.verification).toEqual(shown.verification)
})

test('a demonstration that shares no step replaces all of them', () => {
  const shown = build({ steps: [press('start'), press('finish')], checks: ['finished'] })
  const { recipe } = merge(INSTALLED, shown)
  expect(listIds(recipe)).toEqual(['press_start', 'press_finish'])
  expect(recipe.inputs).toEqual([])
  expect(recipe.verification?.[0]?.id).toBe('finished')
})

test('inputs keep their names and summaries; the demonstration is renamed, and unused inputs go', () => {
  const renamed = build({
    steps: [press('list'), type('note', 'text'), type('tag'), press('save')],
    inputs: ['note', 'tag'],
  })
  const shown = build({
    steps: [press('list'), type('text'), type('note', 'subject'), press('save')],
    inputs: ['text', 'note'],
  })
  const { recipe, input_names } = merge(renamed, shown)
  expect(input_names.get('text')).toBe('note')
  expect(recipe.inputs.map(({ name, summary }) => [name, summary])).toEqual([
    ['note', 'The note'],
    ['note_2', 'The note'],
  ])
  expect(recipe.steps[1]?.params).toEqual({ text: '${inputs.note}' })
  expect(recipe.steps[2]?.params).toEqual({ text: '${inputs.note_2}' })
})

test('a step whose target has another id, but shares an anchor, is changed in place', () => {
  const fallback = { text_equals: 'Save', annotation: 'STRUCTURAL' as const }
  const installed = build({ steps: [press('list'), press('save', { fallbacks: [fallback] })] })
  const shown = build({
    steps: [
      press('list'),
      { id: 'press_save_2', type: 'scroll_and_click', selector: { resource_id: id('store') }, fallbacks: [fallback] },
    ],
  })
  const { recipe } = merge(installed, shown)
  expect(listIds(recipe)).toEqual(['press_list', 'press_save'])
  expect(recipe.steps[1]?.selector).toEqual({ resource_id: id('store') })
})

test('steps that may be skipped and steps that read a value stay although they were not shown again', () => {
  const hint = press('hint', { when: { resource_id: id('hint') } })
  const read: RecipeStep = { id: 'read_total', type: 'read_text', selector: { resource_id: id('total') } }
  const outputs = [{ name: 'total', type: 'string' as const, from: 'read_total' }]
  const installed = build({ steps: [press('list'), hint, press('edit'), read, press('save')], more: { outputs } })
  const shown = build({ steps: [press('list'), press('pencil'), press('save')] })
  const { recipe } = merge(installed, shown)
  expect(listIds(recipe)).toEqual(['press_list', 'press_hint', 'read_total', 'press_pencil', 'press_save'])
  expect(recipe.outputs).toEqual(outputs)
})

test('checks that a person pointed at stay until the person points at others', () => {
  const shown = build({ steps: STEPS, inputs: ['text'], checks: ['saved', 'toast'] })
  const before = mergeRecipes(INSTALLED, { recipe: shown, from_start: true, pointed: 'before' })
  expect(before.recipe.verification).toEqual(INSTALLED.verification)
  const part = build({ steps: STEPS.slice(0, 2), checks: ['pointed'] })
  const now = mergeRecipes(INSTALLED, { recipe: part, from_start: true, pointed: 'now' })
  expect(now.recipe.verification?.[0]?.id).toBe('pointed')
  expect(listIds(now.recipe)).toEqual(listIds(INSTALLED))
})

test('a check that skips the rest stays in front of its step, and a new step behind it is reported', () => {
  const guard: RecipeStep = {
    id: 'already_done',
    type: 'expect',
    selector: { resource_id: id('saved') },
    params: { skipTo: 'verify.saved' },
  }
  const installed = build({ steps: [press('list'), guard, press('save')] })
  const before = merge(installed, build({ steps: [press('filter'), press('list')], checks: [] }))
  expect(listIds(before.recipe)).toEqual(['press_filter', 'press_list', 'already_done', 'press_save'])
  expect(before.is_skipped).toBe(false)
  const behind = mergeRecipes(build({ steps: [press('list'), guard, press('save'), press('close')] }), {
    recipe: build({ steps: [press('list'), press('save'), press('star')], checks: [] }),
    from_start: true,
  })
  expect(behind.is_skipped).toBe(true)
})

test('a new input loses the number that told it apart from one that has an installed name', () => {
  const installed = build({ steps: [type('room', 'name'), press('save')], inputs: ['room'] })
  const shown = build({
    steps: [type('mode', 'name'), type('mode_2', 'kind'), press('save')],
    inputs: ['mode', 'mode_2'],
  })
  const { recipe } = merge(installed, shown)
  expect(recipe.inputs.map(({ name }) => name)).toEqual(['room', 'mode'])
  expect(recipe.steps[1]?.params).toEqual({ text: '${inputs.mode}' })
})
