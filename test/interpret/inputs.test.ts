import { expect, test } from 'vitest'
import { button, open, slide, tap, tapDescribed, tapEntry, tapId, times, type } from '../bench/learning-actions.ts'
import { climate, listInputNames, learn, notes, portal, expectRecipe, settings, shop, useLab } from './lab.ts'

const lab = useLab()

test('taps on a stepper become a number input that uses both buttons', async () => {
  const workflow = await learn(lab(), [
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
  const step = expectRecipe(workflow).steps.find(({ type: kind }) => kind === 'adjust_until')
  expect(step?.params).toEqual({
    value: { resource_id: `${climate}:id/temperature_value`, annotation: 'STRUCTURAL' },
    increase: { resource_id: `${climate}:id/temperature_plus`, annotation: 'STRUCTURAL' },
    decrease: { resource_id: `${climate}:id/temperature_minus`, annotation: 'STRUCTURAL' },
    target: '${inputs.temperature}',
  })
})

test('a slider with a number beside it becomes a number input', async () => {
  const workflow = await learn(lab(), [open(settings), tap('Display'), slide(501, 430, 700)])
  expect(workflow.inputs).toMatchObject([{ name: 'brightness_level', type: 'number' }])
  const { params } = expectRecipe(workflow).steps.at(-1) ?? {}
  expect(params).toMatchObject({ slider: { resource_id: `${settings}:id/brightness` } })
})

test('a slider without a visible value gives a doubt and no recipe', async () => {
  const workflow = await learn(lab(), [open(settings), tap('Sound & vibration'), slide(400, 400, 900)])
  expect(workflow.recipe).toBeUndefined()
  expect(workflow.doubts).toContainEqual({
    field: 'success_condition',
    reason: 'Move Ring volume: A slider was moved, but no screen shows its value',
  })
})

test('a switch becomes a boolean input with its state as the default', async () => {
  const workflow = await learn(lab(), [open(settings), tap('Display'), tap('Dark theme')])
  const { inputs, steps } = expectRecipe(workflow)
  expect(inputs).toEqual([
    {
      name: 'dark_theme',
      type: 'boolean',
      required: false,
      default: true,
      summary: 'Whether dark theme is on',
    },
  ])
  expect(steps.at(-1)).toMatchObject({ type: 'set_checked', params: { checked: '${inputs.dark_theme}' } })
})

test('an option becomes an input with all options as choices', async () => {
  const workflow = await learn(lab(), [open(settings), tap('Display'), tap('Screen timeout'), tap('5 min')])
  expect(expectRecipe(workflow).inputs).toMatchObject([
    { name: 'screen_timeout', choices: ['15 s', '30 s', '1 min', '2 min', '5 min', '10 min'] },
  ])
})

test('a typed text is named after its field; a password has no example', async () => {
  const id = (name: string) => `${portal}:id/${name}`
  const workflow = await learn(lab(), [
    open(portal),
    type(id('user'), 'ada'),
    type(id('password'), 'engine'),
    tapId(id('sign_in')),
  ])
  expect(workflow.inputs).toMatchObject([
    { name: 'user', example: 'ada' },
    { name: 'password', secret: true, summary: 'Text for password; secret, never stored' },
  ])
  expect(workflow.inputs[1]).not.toHaveProperty('example')
  expect(JSON.stringify(workflow.recipe)).not.toContain('engine')
})

test('a menu entry is fixed, a data entry is an input, and a reviewer can change both', async () => {
  const workflow = await learn(lab(), [open(settings), tap('Network & internet'), tap('Office')])
  expect(listInputNames(workflow)).toEqual(['available_network'])
  expect(workflow.steps.map(({ annotation }) => annotation)).toEqual(['STRUCTURAL', 'VARIABLE'])
  const swapped = await learn(lab(), [open(settings), tap('Network & internet'), tap('Office')], {
    varied: ['trace-1-event-2'],
    fixed: ['trace-1-event-3'],
  })
  expect(swapped.steps.map(({ annotation }) => annotation)).toEqual(['VARIABLE', 'STRUCTURAL'])
})

test('a text that is typed and then chosen is one input', async () => {
  const workflow = await learn(lab(), [
    open(shop),
    type(`${shop}:id/search`, 'Milk frother'),
    tapEntry(`${shop}:id/product_name`, 'Milk frother'),
    tap('Add to cart'),
    tapId(`${shop}:id/cart`),
  ])
  expect(listInputNames(workflow)).toEqual(['product'])
  const chosen = expectRecipe(workflow).steps.find(({ id }) => id === 'choose_product')
  expect(chosen?.selector?.containing?.part_equals).toBe('${inputs.product}')
})

test('without consent the token of a text links the field to the outcome', async () => {
  const id = (name: string) => `${notes}:id/${name}`
  const actions = [
    open(notes),
    tap('New note'),
    type(id('title'), 'Zebra crossing'),
    type(id('body'), 'Quick brown fox'),
    tap('Save'),
  ]
  const workflow = await learn(lab(), actions, { consent: false })
  expect(workflow.inputs.map(({ example }) => example)).toEqual(['‹text:1›', '‹text:2›'])
  expect(workflow.verification).toMatchObject([
    { selector: { part_equals: '${inputs.title}' }, inputs: ['title'] },
    {
      selector: { shows: '${inputs.body}', row: [{ part_equals: '${inputs.title}' }] },
      inputs: ['title', 'body'],
    },
  ])
  const report = await lab().run(expectRecipe(workflow), { inputs: { title: 'One', body: 'Two' } })
  expect(report.envelope?.status).toBe('success')
  expect(report.phone.state(notes).saved['notes']).toContainEqual({
    id: 4,
    title: 'One',
    body: 'Two',
  })
})
