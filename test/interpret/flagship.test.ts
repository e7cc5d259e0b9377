import { beforeAll, describe, expect, test } from 'vitest'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { climateLessons, temperatureTrials } from '../bench/learning-climate.ts'
import { judge } from '../bench/learning-lesson.ts'
import { expectRecipe, useLab } from './lab.ts'

const lab = useLab()

describe('a demonstrated temperature change works for other units', () => {
  const [lesson] = climateLessons
  let recipe: Recipe

  beforeAll(async () => {
    const { trace } = await lab().demonstrate(lesson?.actions ?? [])
    recipe = expectRecipe(interpretTraces([trace], { goal: lesson?.goal, marks: [] }))
  })

  test.each(temperatureTrials.map((trial) => [trial.name, trial] as const))('%s', async (_, trial) => {
    const { inputs, prepare, meanwhile, options } = trial
    const report = await lab().run(recipe, { inputs, prepare, meanwhile, options })
    const succeeded = report.envelope?.status === 'success'
    expect(judge(trial, { phone: report.phone, succeeded }), report.envelope?.error ?? '').toBe('right')
  })

  test('a unit that already has the temperature is not touched', async () => {
    const report = await lab().run(recipe, { inputs: { unit: 'Kitchen', temperature: 20 } })
    expect(report.envelope?.status).toBe('success')
    expect(report.touches).toBe(0)
    const verified = report.envelope?.stepResults.find(({ id }) => id === 'verify.shows_temperature')
    expect(verified).toMatchObject({ success: true, data: { observed: '20.0 °C' } })
  })

  test('a missing input is refused before the phone is touched', async () => {
    const report = await lab().run(recipe, { inputs: { unit: 'Lobby' } })
    expect(report.refused).toEqual(['The required input temperature is missing'])
    expect(report.touches).toBe(0)
  })
})

describe('other demonstrations of the same workflow', () => {
  const others = climateLessons
    .slice(1)
    .flatMap((lesson) => lesson.trials.map((trial) => [`${lesson.name}: ${trial.name}`, lesson, trial] as const))

  test.each(others)('%s', async (_, lesson, trial) => {
    const { trace } = await lab().demonstrate(lesson.actions)
    const recipe = expectRecipe(interpretTraces([trace], { goal: lesson.goal, marks: [] }))
    const { inputs, prepare, meanwhile, options } = trial
    const report = await lab().run(recipe, { inputs, prepare, meanwhile, options })
    const succeeded = report.envelope?.status === 'success'
    expect(judge(trial, { phone: report.phone, succeeded }), report.envelope?.error ?? '').toBe('right')
  })
})
