import { expect, test } from 'vitest'
import type { RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { repairRecipe } from '../../src/knowledge/recipes/repair/repair-recipe.ts'
import { compileRecipe } from '../../src/knowledge/recipes/compile/compile.ts'
import { addNote } from '../runs/run-kit.ts'

const old = { resource_id: 'org.example:id/old' }
const text = { text_equals: 'Save', annotation: 'STRUCTURAL' as const }
const described = { content_desc_equals: 'Save note', annotation: 'STRUCTURAL' as const }

const search: RecipeStep = {
  id: 'find_for_save',
  type: 'scroll_until',
  selector: old,
  params: { direction: 'down', clickAfter: false },
}
const press: RecipeStep = { id: 'save', type: 'click', selector: old, fallbacks: [text, described] }
const recipe = { ...addNote, steps: [search, press], starts_on: old, checkpoints: [] }

test('the anchor that found the target comes first in all steps with this target, and the old ones stay', () => {
  const repaired = repairRecipe(recipe, [{ step_id: 'save', anchor: 2 }])
  expect(repaired?.step_ids).toEqual(['find_for_save', 'save'])
  expect(repaired?.recipe.steps).toEqual([
    { ...search, selector: described, fallbacks: [old] },
    { ...press, selector: described, fallbacks: [old, text] },
  ])
  expect(repaired?.recipe).toMatchObject({ starts_on: described, recipe_version: '1.0.1' })
  expect(compileRecipe(repaired?.recipe ?? recipe, { title: 'a', body: 'b' })).toMatchObject({ ok: true })
})

test('a step that only brings a target into view takes the anchors of the step it prepares', () => {
  expect(repairRecipe(recipe, [{ step_id: 'find_for_save', anchor: 1 }])).toEqual(
    repairRecipe(recipe, [{ step_id: 'save', anchor: 1 }]),
  )
})

test('a missing container goes, and the old selector in it stays as a fallback', () => {
  const container = { resource_id: 'org.example:id/bar' }
  const boxed = { ...recipe, steps: [{ ...press, container }] }
  const step = repairRecipe(boxed, [{ step_id: 'save', anchor: 0 }])?.recipe.steps[0]
  expect(step).toEqual({ ...press, fallbacks: [{ ...old, container }, text, described] })
})

test.each([
  ['an unknown step', [{ step_id: 'other', anchor: 1 }]],
  ['a fallback that does not exist', [{ step_id: 'save', anchor: 3 }]],
  ['a selector without a container', [{ step_id: 'save', anchor: 0 }]],
])('%s repairs nothing', (_, repairs) => {
  expect(repairRecipe(recipe, repairs)).toBeUndefined()
})

test('an anchor with a container of its own is not put in front, because it would limit the others', () => {
  const boxed = { ...text, container: { resource_id: 'org.example:id/bar' } }
  expect(repairRecipe({ ...recipe, steps: [{ ...press, fallbacks: [boxed] }] }, [{ step_id: 'save', anchor: 1 }])).toBe(
    undefined,
  )
})
