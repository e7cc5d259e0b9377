import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import { otherLessons } from '../bench/learning-others.ts'
import { judge } from '../bench/learning-lesson.ts'
import { expectRecipe, useLab } from './lab.ts'

const lab = useLab()

test('the app documents of these lessons are valid', () => {
  const [lesson] = otherLessons
  expect(createPhone(lesson?.options ?? {}).documentReports).toEqual([])
})

test.each(otherLessons.map((lesson) => [`${lesson.app}: ${lesson.name}`, lesson] as const))(
  '%s: one demonstration is enough',
  async (_, { actions, goal, options, trials }) => {
    const { trace } = await lab().demonstrate(actions, { options })
    const recipe = expectRecipe(interpretTraces([trace], { goal, marks: [] }))
    for (const trial of trials) {
      const { inputs, prepare, meanwhile } = trial
      const report = await lab().run(recipe, { inputs, prepare, meanwhile, options })
      const succeeded = report.envelope?.status === 'success'
      const verdict = judge(trial, { phone: report.phone, succeeded })
      expect(verdict, `${trial.name}: ${report.envelope?.error ?? ''}`).toBe('right')
    }
  },
)
