import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import type { LearnedWorkflow } from '../../src/knowledge/interpret/draft/workflow.ts'
import { button, open, tap, tapDescribed, tapId, times, type } from '../bench/learning-actions.ts'
import type { LabAction, DemonstrateOptions } from '../bench/learning-lab.ts'
import { climate, listDescriptions, notes, expectRecipe, settings, shop, useLab } from './lab.ts'

const lab = useLab()

async function learnTogether(
  ...demonstrations: readonly (readonly [readonly LabAction[], DemonstrateOptions?])[]
): Promise<LearnedWorkflow> {
  const traces = []
  for (const [at, [actions, options]] of demonstrations.entries()) {
    const { trace } = await lab().demonstrate(actions, { ...options, trace_id: `trace-${at}` })
    traces.push(trace)
  }
  return interpretTraces(traces, { goal: 'Demonstrated more than once', marks: [] })
}

const set = (unit: string, ...more: LabAction[]): LabAction[] => [
  open(climate),
  tap(unit),
  ...more,
  tap('Save'),
  button(1),
]

test('demonstrations with two units give one workflow with inputs', async () => {
  const workflow = await learnTogether(
    [set('Reception', ...times(3, tapDescribed('Warmer')))],
    [set('Lobby', tapDescribed('Colder'))],
  )
  expect(workflow.inputs.map(({ name }) => name)).toEqual(['unit', 'temperature'])
  expect(workflow.verification).toHaveLength(1)
  expect(workflow.doubts).toEqual([])
  const report = await lab().run(expectRecipe(workflow), {
    inputs: { unit: 'Gym', temperature: 22 },
  })
  expect(report.envelope?.status).toBe('success')
})

test('a menu entry that differs between demonstrations is an input', async () => {
  const workflow = await learnTogether([[open(settings), tap('Display')]], [[open(settings), tap('Storage')]])
  expect(workflow.inputs).toMatchObject([{ name: 'setting', example: 'Display' }])
})

test('a switch that is set to both states has no default', async () => {
  const on = [open(settings), tap('Display'), tap('Dark theme')]
  const workflow = await learnTogether(
    [on],
    [on, { prepare: (phone) => phone.setState(settings, { saved: { dark_theme: true } }) }],
  )
  expect(expectRecipe(workflow).inputs).toMatchObject([{ name: 'dark_theme', required: true }])
  expect(workflow.inputs[0]).not.toHaveProperty('default')
})

test('a switch that only one demonstration sets is not optional', async () => {
  const workflow = await learnTogether(
    [set('Reception', tapDescribed('Warmer'))],
    [set('Server room', tapDescribed('Power'), tapDescribed('Colder'))],
  )
  expect(listDescriptions(workflow)).toEqual([
    'Choose the given unit',
    'Turn power on or off as given',
    'Set temperature to the given number',
    'Press Save',
    'Press Save',
  ])
  const report = await lab().run(expectRecipe(workflow), {
    inputs: { unit: 'Archive', temperature: 20 },
  })
  expect(report.envelope?.status).toBe('success')
  expect(report.phone.state(climate).saved['units']).toContainEqual(
    expect.objectContaining({ name: 'Archive', power: true, temperature: 20 }),
  )
})

test('a step that one demonstration lacks is done only if its target is present', async () => {
  const search = type(`${shop}:id/search`, 'tea')
  const rest = [tap('Black tea 100 g'), tap('Add to cart'), tapId(`${shop}:id/cart`)]
  const workflow = await learnTogether(
    [[open(shop), search, tapId(`${shop}:id/clear`), ...rest]],
    [[open(shop), search, ...rest]],
  )
  const cleared = expectRecipe(workflow).steps.find(({ id }) => id === 'press_clear')
  expect(cleared?.when).toMatchObject({ resource_id: `${shop}:id/clear` })
  expect(workflow.steps.filter(({ optional }) => optional)).toHaveLength(1)
})

test('different orders give a doubt, and the first order is used', async () => {
  const id = (name: string) => `${notes}:id/${name}`
  const workflow = await learnTogether(
    [[open(notes), tap('New note'), type(id('title'), 'One'), type(id('body'), 'Two'), tap('Save')]],
    [[open(notes), tap('New note'), type(id('body'), 'Four'), type(id('title'), 'Three'), tap('Save')]],
  )
  expect(listDescriptions(workflow)).toEqual([
    'Press New note',
    'Fill in the given title',
    'Fill in the given body',
    'Press Save',
  ])
  expect(workflow.doubts).toEqual([
    {
      field: 'goal_summary',
      reason: 'The demonstrations do the same steps in different orders; the recipe uses the first order',
    },
  ])
})

test('claims that are false in one demonstration are dropped and give a doubt', async () => {
  const workflow = await learnTogether(
    [set('Reception', tapDescribed('Warmer'))],
    [[open(climate), tap('Lobby'), tapDescribed('Warmer'), tap('Save'), button(2)]],
  )
  expect(workflow.verification).toEqual([])
  expect(workflow.doubts.map(({ field }) => field)).toContain('success_condition')
})
