import { beforeAll, describe, expect, test } from 'vitest'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { interpretRuns } from '../../src/knowledge/interpret/draft/interpret.ts'
import { climateLessons, temperatureTrials } from '../bench/learning-climate.ts'
import { judge } from '../bench/learning-pair.ts'
import { recipeOf, useLab } from './lab.ts'

const lab = useLab()

describe('a temperature that was set once is set again for any unit', () => {
  const [lesson] = climateLessons
  let recipe: Recipe

  beforeAll(async () => {
    const { run } = await lab().show(lesson?.shown ?? [])
    recipe = recipeOf(interpretRuns([run], { goal: lesson?.goal, marks: [] }))
  })

  test.each(temperatureTrials.map((trial) => [trial.name, trial] as const))(
    '%s',
    async (_, trial) => {
      const { inputs, prepare, meanwhile, options } = trial
      const report = await lab().run(recipe, { inputs, prepare, meanwhile, options })
      const succeeded = report.envelope?.status === 'success'
      expect(judge(trial, { phone: report.phone, succeeded }), report.envelope?.error ?? '').toBe(
        'right',
      )
    },
  )

  test('a unit that is at its target is not touched', async () => {
    const report = await lab().run(recipe, { inputs: { unit: 'Kitchen', temperature: 20 } })
    expect(report.envelope?.status).toBe('success')
    expect(report.touches).toBe(0)
    const verified = report.envelope?.stepResults.find(
      ({ id }) => id === 'verify.shows_temperature',
    )
    expect(verified).toMatchObject({ success: true, data: { observed: '20.0 °C' } })
  })

  test('what is missing is refused before the phone is touched', async () => {
    const report = await lab().run(recipe, { inputs: { unit: 'Lobby' } })
    expect(report.refused).toEqual(['The input temperature is missing'])
    expect(report.touches).toBe(0)
  })
})

describe('however it was shown', () => {
  const others = climateLessons
    .slice(1)
    .flatMap((lesson) =>
      lesson.trials.map((trial) => [`${lesson.name}: ${trial.name}`, lesson, trial] as const),
    )

  test.each(others)('%s', async (_, lesson, trial) => {
    const { run } = await lab().show(lesson.shown)
    const recipe = recipeOf(interpretRuns([run], { goal: lesson.goal, marks: [] }))
    const { inputs, prepare, meanwhile, options } = trial
    const report = await lab().run(recipe, { inputs, prepare, meanwhile, options })
    const succeeded = report.envelope?.status === 'success'
    expect(judge(trial, { phone: report.phone, succeeded }), report.envelope?.error ?? '').toBe(
      'right',
    )
  })
})
