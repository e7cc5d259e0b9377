import { expect, test } from 'vitest'
import {
  button,
  open,
  slide,
  tap,
  tapDescribed,
  tapEntry,
  tapId,
  times,
  type,
} from '../bench/learning-doings.ts'
import {
  climate,
  inputNames,
  learned,
  notes,
  portal,
  recipeOf,
  settings,
  shop,
  useLab,
} from './lab.ts'

const lab = useLab()

test('a stepper becomes a number to reach, by whichever of its buttons it takes', async () => {
  const workflow = await learned(lab(), [
    open(climate),
    tap('Reception'),
    ...times(3, tapDescribed('Warmer')),
    tap('Save'),
    button(1),
  ])
  expect(workflow.inputs).toMatchObject([
    { name: 'unit', type: 'string', example: 'Reception' },
    { name: 'temperature', type: 'number', example: '24' },
  ])
  const step = recipeOf(workflow).steps.find(({ type: kind }) => kind === 'adjust_until')
  expect(step?.params).toEqual({
    value: { resource_id: `${climate}:id/temperature_value`, annotation: 'STRUCTURAL' },
    increase: { resource_id: `${climate}:id/temperature_plus`, annotation: 'STRUCTURAL' },
    decrease: { resource_id: `${climate}:id/temperature_minus`, annotation: 'STRUCTURAL' },
    target: '${inputs.temperature}',
  })
})

test('a slider is set by the number beside it', async () => {
  const workflow = await learned(lab(), [open(settings), tap('Display'), slide(501, 430, 700)])
  expect(workflow.inputs).toMatchObject([{ name: 'brightness', type: 'number' }])
  const { params } = recipeOf(workflow).steps.at(-1) ?? {}
  expect(params).toMatchObject({ slider: { resource_id: `${settings}:id/brightness` } })
})

test('a slider that no number tells of cannot be repeated, and that is said', async () => {
  const workflow = await learned(lab(), [
    open(settings),
    tap('Sound & vibration'),
    slide(400, 400, 900),
  ])
  expect(workflow.recipe).toBeUndefined()
  expect(workflow.doubts).toContainEqual({
    field: 'success_condition',
    reason: 'Move ring: A slider was moved whose value no screen tells',
  })
})

test('a switch is set, never flipped, and its state is the default', async () => {
  const workflow = await learned(lab(), [open(settings), tap('Display'), tap('Dark theme')])
  const { inputs, steps } = recipeOf(workflow)
  expect(inputs).toEqual([
    {
      name: 'dark',
      type: 'boolean',
      required: false,
      default: true,
      summary: 'Whether dark is on',
    },
  ])
  expect(steps.at(-1)).toMatchObject({ type: 'set_checked', params: { checked: '${inputs.dark}' } })
})

test('one of a few options is chosen by its words, and they are all told', async () => {
  const workflow = await learned(lab(), [
    open(settings),
    tap('Display'),
    tap('Screen timeout'),
    tap('5 min'),
  ])
  expect(recipeOf(workflow).inputs).toMatchObject([
    { name: 'screen_timeout', choices: ['15 s', '30 s', '1 min', '2 min', '5 min', '10 min'] },
  ])
})

test('what is typed is named after its field; a password has no example and says so', async () => {
  const id = (name: string) => `${portal}:id/${name}`
  const workflow = await learned(lab(), [
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  expect(workflow.inputs).toMatchObject([
    { name: 'user', example: 'ada' },
    { name: 'password', secret: true, summary: 'Text for password; secret, never kept' },
  ])
  expect(workflow.inputs[1]).not.toHaveProperty('example')
  expect(JSON.stringify(workflow.recipe)).not.toContain('engine')
})

test('an entry of the app menu is fixed; one of its data is said anew each time', async () => {
  const workflow = await learned(lab(), [open(settings), tap('Network & internet'), tap('Office')])
  expect(inputNames(workflow)).toEqual(['available_network'])
  expect(workflow.steps.map(({ annotation }) => annotation)).toEqual(['STRUCTURAL', 'VARIABLE'])
  const swapped = await learned(lab(), [open(settings), tap('Network & internet'), tap('Office')], {
    varied: ['trace-1-event-2'],
    fixed: ['trace-1-event-3'],
  })
  expect(swapped.steps.map(({ annotation }) => annotation)).toEqual(['VARIABLE', 'STRUCTURAL'])
})

test('a text that is typed and then chosen is one input', async () => {
  const workflow = await learned(lab(), [
    open(shop),
    type(`${shop}:id/search`, 'Milk frother'),
    tapEntry(`${shop}:id/product_name`, 'Milk frother'),
    tap('Add to cart'),
    tapId(`${shop}:id/cart`),
  ])
  expect(inputNames(workflow)).toEqual(['search'])
  const chosen = recipeOf(workflow).steps.find(({ id }) => id === 'choose_search')
  expect(chosen?.selector?.containing?.text_equals).toBe('${inputs.search}')
})

test('without consent the name of a text links what was typed to what came of it', async () => {
  const id = (name: string) => `${notes}:id/${name}`
  const shown = [
    open(notes),
    tap('New note'),
    type(id('title'), 'Zebra crossing'),
    type(id('body'), 'Quick brown fox'),
    tap('Save'),
  ]
  const workflow = await learned(lab(), shown, { consent: false })
  expect(workflow.inputs.map(({ example }) => example)).toEqual(['‹text:1›', '‹text:2›'])
  expect(workflow.verification).toMatchObject([
    { text_equals: '${inputs.body}', inputs: ['title', 'body'] },
  ])
  const report = await lab().run(recipeOf(workflow), { inputs: { title: 'One', body: 'Two' } })
  expect(report.envelope?.status).toBe('success')
  expect(report.phone.state(notes).saved['notes']).toContainEqual({
    id: 4,
    title: 'One',
    body: 'Two',
  })
})
