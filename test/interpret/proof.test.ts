import { expect, test } from 'vitest'
import { button, open, tap, tapDescribed, tapId, times, type } from '../bench/learning-actions.ts'
import { climate, learn, notes, portal, expectRecipe, settings, shop, useLab } from './lab.ts'

const lab = useLab()
const listClaims = (workflow: Awaited<ReturnType<typeof learn>>) => workflow.verification.map(({ text }) => text)

test('a saved value is verified in its list entry', async () => {
  const workflow = await learn(lab(), [open(climate), tap('Reception'), tapDescribed('Warmer'), tap('Save'), button(1)])
  expect(expectRecipe(workflow).verification).toEqual([
    {
      id: 'shows_temperature',
      selector: {
        resource_id: `${climate}:id/unit_temperature`,
        shows: '${inputs.temperature}',
        row: [{ part_equals: '${inputs.unit}', annotation: 'VARIABLE' }],
        annotation: 'VARIABLE',
      },
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

test('a value that the list does not show is verified by opening the entry again', async () => {
  const workflow = await learn(lab(), [open(climate), tap('Lobby'), tapDescribed('Power'), tap('Save'), button(1)])
  expect(listClaims(workflow)).toEqual(['The given unit is open', 'The power is on or off as given'])
  expect(expectRecipe(workflow).steps.at(-1)).toMatchObject({ id: 'choose_unit_again' })
})

test('a removed entry is verified together with the presence of its list', async () => {
  const workflow = await learn(lab(), [open(notes), tap('Meeting'), tap('Delete'), button(1)])
  expect(expectRecipe(workflow).verification).toMatchObject([
    { selector: { class: 'android.widget.TextView', text_equals: 'Notes' } },
    { present: false, whole_list: true, selector: { part_equals: '${inputs.note}' } },
  ])
  expect(workflow.recipe?.risk_level).toBe('medium')
})

test('a reached screen is verified by a node that no earlier screen has', async () => {
  const id = (name: string) => `${portal}:id/${name}`
  const workflow = await learn(lab(), [
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  const [proof] = expectRecipe(workflow).verification ?? []
  expect(proof?.selector.resource_id).toMatch(/:id\/(?:sign_out|welcome)$/)
})

test('a purchase has the purchase risk and is verified by an empty cart', async () => {
  const filled = { cart: [{ id: 19, name: 'Travel mug', price: 15.5, quantity: 2 }] }
  const workflow = await learn(lab(), [open(shop), tapId(`${shop}:id/cart`), tapId(`${shop}:id/order`), button(1)], {
    prepare: (phone) => phone.setState(shop, { saved: filled }),
  })
  expect(expectRecipe(workflow)).toMatchObject({ recipe_type: 'action', risk_level: 'high' })
  expect(workflow.recipe?.capabilities).toContain('purchase_risk')
  expect(workflow.verification).toMatchObject([{ selector: { resource_id: `${shop}:id/cart` }, number_equals: 0 }])
})

test('a workflow that only reads is a flow, not an action', async () => {
  const workflow = await learn(lab(), [open(portal), tap('Your invoice')], {
    prepare: (phone) => phone.setState(portal, { saved: { user: 'ada' } }),
  })
  expect(expectRecipe(workflow).recipe_type).toBe('flow')
  expect(listClaims(workflow)).toEqual(['The given message is open'])
})

test('a workflow without a proof gives a doubt', async () => {
  const form = await learn(lab(), [
    open(shop),
    tap('Almond milk 1 l'),
    ...times(2, tapId(`${shop}:id/quantity_plus`)),
    tap('Add to cart'),
  ])
  expect(form.doubts).toEqual([
    {
      field: 'success_condition',
      reason: 'Only the form that was filled in shows the outcome, not saved data',
    },
  ])
  const nothing = await learn(lab(), [open(settings)])
  expect(nothing.recipe).toBeUndefined()
  expect(nothing.doubts).toEqual([
    {
      field: 'success_condition',
      reason: 'The demonstration has no step that a recipe could repeat',
    },
  ])
})

test('checkpoints are states, and the last one is the outcome', async () => {
  const actions = [open(climate), tap('Reception'), tapDescribed('Warmer'), tap('Save'), button(1)]
  const { checkpoints } = await learn(lab(), actions)
  expect(checkpoints.map(({ goal, after_step }) => [goal, after_step])).toEqual([
    ['The given unit is open', 'choose_unit'],
    ['The temperature shows the given number', 'set_temperature'],
    ['The question after Save is open', 'press_save'],
    ['The Climate screen is open', 'press_save_2'],
    ['The given unit shows the given temperature', 'verify.shows_temperature'],
  ])
  const marked = await learn(lab(), actions, {
    marks: [
      { label: 'Open the Reception unit', kind: 'action', after_event_id: 'trace-1-event-2' },
      { label: 'Only while it is switched on', kind: 'guard' },
    ],
  })
  expect(marked.checkpoints.map(({ goal, after_step }) => [goal, after_step])).toEqual([
    ['The given unit unit is open', 'choose_unit'],
    ['The given unit shows the given temperature', 'verify.shows_temperature'],
  ])
  expect(marked.conditions).toEqual(['Only while it is switched on'])
})
