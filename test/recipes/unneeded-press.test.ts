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

test('a press after a search that no check or choice names is never taken for done, because nothing may have been found', () => {
  const search: RecipeStep = {
    id: 'fill_search',
    type: 'enter_text',
    selector: { class: 'android.widget.EditText', annotation: 'STRUCTURAL' },
    params: { text: '${inputs.room}' },
  }
  expect(mayBeDone(search, save)).toBeUndefined()
  expect(mayBeDone(search, choose, save)).toBe(true)
  const filled: RecipeStep = { ...search, params: { text: 'Kitchen' } }
  expect(mayBeDone(filled, save)).toBeUndefined()
  expect(mayBeDone(filled, { ...choose, selector: { text_equals: 'Kitchen', annotation: 'VARIABLE' } }, save)).toBe(
    true,
  )
})
