import { expect, test } from 'vitest'
import { interpretRuns } from '../../src/knowledge/interpret/draft/interpret.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import { otherLessons } from '../bench/learning-others.ts'
import { judge } from '../bench/learning-pair.ts'
import { recipeOf, useLab } from './lab.ts'

const lab = useLab()

test('the apps nobody has heard of are sound documents', () => {
  const [lesson] = otherLessons
  expect(createPhone(lesson?.options ?? {}).documentReports).toEqual([])
})

test.each(otherLessons.map((lesson) => [`${lesson.app}: ${lesson.name}`, lesson] as const))(
  '%s, shown once, is done again',
  async (_, { shown, goal, options, trials }) => {
    const { run } = await lab().show(shown, { options })
    const recipe = recipeOf(interpretRuns([run], { goal, marks: [] }))
    for (const trial of trials) {
      const { inputs, prepare, meanwhile } = trial
      const report = await lab().run(recipe, { inputs, prepare, meanwhile, options })
      const succeeded = report.envelope?.status === 'success'
      const verdict = judge(trial, { phone: report.phone, succeeded })
      expect(verdict, `${trial.name}: ${report.envelope?.error ?? ''}`).toBe('right')
    }
  },
)
