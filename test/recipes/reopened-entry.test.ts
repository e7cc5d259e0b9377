import { expect, test } from 'vitest'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { lowerStep } from '../../src/knowledge/recipes/lower/lower-step.ts'
import { setTemperature } from './samples.ts'

const choose: RecipeStep = {
  id: 'choose_room',
  type: 'click',
  selector: { text_equals: '${inputs.room}', annotation: 'VARIABLE' },
}
const save: RecipeStep = {
  id: 'press_save',
  type: 'click',
  selector: { text_equals: 'Save', annotation: 'STRUCTURAL' },
}
const mayBeDone = (...steps: RecipeStep[]) => {
  const verification = [{ id: 'shows_room', selector: { text_equals: 'On' } }]
  const recipe: Recipe = { ...setTemperature, steps, verification }
  return lowerStep(save, recipe)[0]?.action.doneIfMissing
}

test('a press before its entry is opened again is never taken for done, because the form shows the same unsaved', () => {
  expect(mayBeDone(choose, save)).toBe(true)
  expect(mayBeDone(choose, save, { ...choose, id: 'choose_room_again' })).toBeUndefined()
})
