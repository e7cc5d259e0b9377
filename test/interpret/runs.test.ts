import { expect, test } from 'vitest'
import { interpretRuns } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { LearnedWorkflow } from '../../src/knowledge/interpret/draft/workflow.ts'
import { button, open, tap, tapDescribed, tapId, times, type } from '../bench/learning-doings.ts'
import type { Doing, ShowOptions } from '../bench/learning-lab.ts'
import { climate, descriptions, notes, recipeOf, settings, shop, useLab } from './lab.ts'

const lab = useLab()

async function together(
  ...shown: readonly (readonly [readonly Doing[], ShowOptions?])[]
): Promise<LearnedWorkflow> {
  const runs = []
  for (const [at, [doings, options]] of shown.entries()) {
    runs.push((await lab().show(doings, { ...options, trace: `run-${at}` })).run)
  }
  return interpretRuns(runs, { goal: 'Shown more than once', marks: [] })
}

const set = (unit: string, ...more: Doing[]): Doing[] => [
  open(climate),
  tap(unit),
  ...more,
  tap('Save'),
  button(1),
]

test('two runs for two units are one way to do it', async () => {
  const workflow = await together(
    [set('Reception', ...times(3, tapDescribed('Warmer')))],
    [set('Lobby', tapDescribed('Colder'))],
  )
  expect(workflow.inputs.map(({ name }) => name)).toEqual(['unit', 'temperature'])
  expect(workflow.verification).toHaveLength(1)
  expect(workflow.doubts).toEqual([])
  const report = await lab().run(recipeOf(workflow), { inputs: { unit: 'Gym', temperature: 22 } })
  expect(report.envelope?.status).toBe('success')
})

test('menu entries that differ from run to run are said anew each time', async () => {
  const workflow = await together(
    [[open(settings), tap('Display')]],
    [[open(settings), tap('Storage')]],
  )
  expect(workflow.inputs).toMatchObject([{ name: 'setting', example: 'Display' }])
})

test('a switch set both ways has no default', async () => {
  const on = [open(settings), tap('Display'), tap('Dark theme')]
  const workflow = await together(
    [on],
    [on, { prepare: (phone) => phone.setState(settings, { saved: { dark_theme: true } }) }],
  )
  expect(recipeOf(workflow).inputs).toMatchObject([{ name: 'dark', required: true }])
  expect(workflow.inputs[0]).not.toHaveProperty('default')
})

test('a switch that one run found as it should be is set in all', async () => {
  const workflow = await together(
    [set('Reception', tapDescribed('Warmer'))],
    [set('Server room', tapDescribed('Power'), tapDescribed('Colder'))],
  )
  expect(descriptions(workflow)).toEqual([
    'Choose the given unit',
    'Turn power on or off as given',
    'Set temperature to the given number',
    'Press Save',
    'Press Save',
  ])
  const report = await lab().run(recipeOf(workflow), {
    inputs: { unit: 'Archive', temperature: 20 },
  })
  expect(report.envelope?.status).toBe('success')
  expect(report.phone.state(climate).saved['units']).toContainEqual(
    expect.objectContaining({ name: 'Archive', power: true, temperature: 20 }),
  )
})

test('a step that some runs did without is done only if what it is about is there', async () => {
  const search = type(`${shop}:id/search`, 'tea')
  const rest = [tap('Black tea 100 g'), tap('Add to cart'), tapId(`${shop}:id/cart`)]
  const workflow = await together(
    [[open(shop), search, tapId(`${shop}:id/clear`), ...rest]],
    [[open(shop), search, ...rest]],
  )
  const cleared = recipeOf(workflow).steps.find(({ id }) => id === 'press_clear')
  expect(cleared?.when).toMatchObject({ resource_id: `${shop}:id/clear` })
  expect(workflow.steps.filter(({ optional }) => optional)).toHaveLength(1)
})

test('runs in different orders raise a question, and the first sets the order', async () => {
  const id = (name: string) => `${notes}:id/${name}`
  const workflow = await together(
    [
      [
        open(notes),
        tap('New note'),
        type(id('title'), 'One'),
        type(id('body'), 'Two'),
        tap('Save'),
      ],
    ],
    [
      [
        open(notes),
        tap('New note'),
        type(id('body'), 'Four'),
        type(id('title'), 'Three'),
        tap('Save'),
      ],
    ],
  )
  expect(descriptions(workflow)).toEqual([
    'Press New note',
    'Fill in the given title',
    'Fill in the given body',
    'Press Save',
  ])
  expect(workflow.doubts).toEqual([
    {
      field: 'goal_summary',
      reason: 'The runs do the same steps in different orders; the order of the first was taken',
    },
  ])
})

test('runs that end differently prove nothing by that end', async () => {
  const workflow = await together(
    [set('Reception', tapDescribed('Warmer'))],
    [[open(climate), tap('Lobby'), tapDescribed('Warmer'), tap('Save'), button(2)]],
  )
  expect(workflow.verification).toEqual([])
  expect(workflow.doubts.map(({ field }) => field)).toContain('success_condition')
})
