import { expect, test } from 'vitest'
import { button, open, tap, tapDescribed, tapId, times, type } from '../bench/learning-doings.ts'
import { climate, learned, notes, portal, recipeOf, settings, shop, useLab } from './lab.ts'

const lab = useLab()
const proofs = (workflow: Awaited<ReturnType<typeof learned>>) =>
  workflow.verification.map(({ words }) => words)

test('what was kept is read from the list, by the entry it belongs to', async () => {
  const workflow = await learned(lab(), [
    open(climate),
    tap('Reception'),
    tapDescribed('Warmer'),
    tap('Save'),
    button(1),
  ])
  expect(recipeOf(workflow).verification).toEqual([
    {
      id: 'shows_temperature',
      selector: { resource_id: `${climate}:id/unit_temperature`, annotation: 'VARIABLE' },
      container: {
        resource_id: `${climate}:id/unit`,
        containing: { resource_id: `${climate}:id/unit_name`, text_equals: '${inputs.unit}' },
        annotation: 'VARIABLE',
      },
      number_equals: '${inputs.temperature}',
      annotation: 'VARIABLE',
      timeout_ms: 10_000,
    },
  ])
  expect(workflow.verification[0]?.proved_by).toEqual({
    trace_id: 'trace-1',
    event_id: 'trace-1-event-5',
  })
  expect(workflow.doubts).toEqual([])
})

test('what the list does not tell is looked up by opening the entry again', async () => {
  const workflow = await learned(lab(), [
    open(climate),
    tap('Lobby'),
    tapDescribed('Power'),
    tap('Save'),
    button(1),
  ])
  expect(proofs(workflow)).toEqual(['The given unit is open', 'The power is on or off as given'])
  expect(recipeOf(workflow).steps.at(-1)).toMatchObject({ id: 'choose_unit_again' })
})

test('an entry that is gone counts only while its list is seen', async () => {
  const workflow = await learned(lab(), [open(notes), tap('Meeting'), tap('Delete'), button(1)])
  expect(recipeOf(workflow).verification).toMatchObject([
    { selector: { resource_id: `${notes}:id/notes` } },
    { present: false, selector: { containing: { text_equals: '${inputs.note}' } } },
  ])
  expect(workflow.recipe?.risk_level).toBe('medium')
})

test('a screen that was reached is told by something no earlier screen has', async () => {
  const id = (name: string) => `${portal}:id/${name}`
  const workflow = await learned(lab(), [
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  const [proof] = recipeOf(workflow).verification ?? []
  expect(proof?.selector.resource_id).toMatch(/:id\/(?:sign_out|welcome)$/)
})

test('a purchase is called one, and is proved by what is left in the cart', async () => {
  const filled = { cart: [{ id: 19, name: 'Travel mug', price: 15.5, quantity: 2 }] }
  const workflow = await learned(
    lab(),
    [open(shop), tapId(`${shop}:id/cart`), tapId(`${shop}:id/order`), button(1)],
    { prepare: (phone) => phone.setState(shop, { saved: filled }) },
  )
  expect(recipeOf(workflow)).toMatchObject({ recipe_type: 'action', risk_level: 'high' })
  expect(workflow.recipe?.capabilities).toContain('purchase_risk')
  expect(workflow.verification).toMatchObject([
    { selector: { resource_id: `${shop}:id/cart` }, number_equals: 0 },
  ])
})

test('looking at something is no action', async () => {
  const workflow = await learned(lab(), [open(portal), tap('Your invoice')], {
    prepare: (phone) => phone.setState(portal, { saved: { user: 'ada' } }),
  })
  expect(recipeOf(workflow).recipe_type).toBe('flow')
  expect(proofs(workflow)).toEqual(['The given message is open'])
})

test('where nothing tells that it was done, somebody is asked', async () => {
  const form = await learned(lab(), [
    open(shop),
    tap('Almond milk 1 l'),
    ...times(2, tapId(`${shop}:id/quantity_plus`)),
    tap('Add to cart'),
  ])
  expect(form.doubts).toEqual([
    {
      field: 'success_condition',
      reason: 'Only the form that was filled shows the outcome, not what was kept',
    },
  ])
  const nothing = await learned(lab(), [open(settings)])
  expect(nothing.recipe).toBeUndefined()
  expect(nothing.doubts).toEqual([
    { field: 'success_condition', reason: 'Nothing was done that a recipe could repeat' },
  ])
})

test('states are told, never touches, the outcome last', async () => {
  const shown = [open(climate), tap('Reception'), tapDescribed('Warmer'), tap('Save'), button(1)]
  const { checkpoints } = await learned(lab(), shown)
  expect(checkpoints.map(({ goal, after_step }) => [goal, after_step])).toEqual([
    ['The given unit is open', 'choose_unit'],
    ['The temperature shows the given number', 'set_temperature'],
    ['The question after Save is open', 'press_save'],
    ['The Climate screen is open', 'press_save_2'],
    ['The unit temperature of the given unit is the given temperature', 'verify.shows_temperature'],
  ])
  const marked = await learned(lab(), shown, {
    marks: [
      { label: 'Open the Reception unit', kind: 'action', after_event_id: 'trace-1-event-2' },
      { label: 'Only while it is switched on', kind: 'guard' },
    ],
  })
  expect(marked.checkpoints.map(({ goal, after_step }) => [goal, after_step])).toEqual([
    ['The given unit unit is open', 'choose_unit'],
    ['The unit temperature of the given unit is the given temperature', 'verify.shows_temperature'],
  ])
  expect(marked.conditions).toEqual(['Only while it is switched on'])
})
