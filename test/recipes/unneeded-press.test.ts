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

const value: RecipeStep = {
  id: 'select_day',
  type: 'click',
  selector: { part_equals: 'Tuesday', annotation: 'VARIABLE' },
}
const entry: RecipeStep = { ...choose, type: 'scroll_and_click' }
const flagsOf = (step: RecipeStep, steps: RecipeStep[], shown = 'Tuesday') => {
  const verification = [{ id: 'shows_day', selector: { shows: shown }, annotation: 'VARIABLE' as const }]
  return lowerStep(step, { ...setTemperature, steps, verification })[0]?.action
}

test('a value of an entry need not be chosen if the checks name it; an entry that is missing is another matter', () => {
  expect(flagsOf(value, [entry, value])).toMatchObject({ doneIfMissing: true })
  expect(flagsOf(value, [entry, value], 'Monday')).not.toHaveProperty('doneIfMissing')
  expect(flagsOf(value, [value])).not.toHaveProperty('doneIfMissing')
  expect(flagsOf(entry, [entry, value])).not.toHaveProperty('doneIfMissing')
})

test('a field of an entry need not be filled in if the outcome is there', () => {
  const fill: RecipeStep = {
    id: 'fill_note',
    type: 'enter_text',
    selector: { resource_id: 'note', annotation: 'STRUCTURAL' },
    params: { text: 'Tuesday' },
  }
  expect(flagsOf(fill, [entry, fill])).toMatchObject({ doneIfMissing: true })
  expect(flagsOf(fill, [fill])).not.toHaveProperty('doneIfMissing')
})

test('what is opened again after a pause is opened to look at what was stored, and is never passed over', () => {
  const pause: RecipeStep = { id: 'wait', type: 'sleep', params: { durationMs: 2500 } }
  const again: RecipeStep = { ...save, id: 'press_save_again' }
  expect(flagsOf(again, [entry, save, again])).toMatchObject({ doneIfMissing: true, doneIfReversed: true })
  const flags = flagsOf(again, [entry, save, pause, again])
  expect(flags).not.toHaveProperty('doneIfMissing')
  expect(flags).not.toHaveProperty('doneIfReversed')
})
