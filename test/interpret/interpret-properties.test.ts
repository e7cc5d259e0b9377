import fc from 'fast-check'
import { expect, test } from 'vitest'
import { interpretRuns } from '../../src/knowledge/interpret/draft/interpret.ts'
import { recipeText } from '../../src/knowledge/canonical-json/canonical-json.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { runOf, touches } from './tiny-app.ts'

const walk = fc.array(fc.constantFrom(...touches), { maxLength: 40 })

test('whatever was shown, there is a sound recipe or a reason why there is none', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { recipe, doubts } = interpretRuns([runOf(given).run], { marks: [] })
      if (recipe === undefined) {
        expect(doubts).not.toEqual([])
        return
      }
      const faults = validateRecipe(recipe).filter(({ severity }) => severity === 'error')
      const unproved = doubts.some(({ field }) => field === 'success_condition')
      expect(faults.filter(({ code }) => code !== 'RECIPE_VERIFICATION_MISSING')).toEqual([])
      if (faults.length > 0) expect(unproved).toBe(true)
    }),
    { numRuns: 150 },
  )
})

test('what was typed is in no recipe', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { recipe } = interpretRuns([runOf(given).run], { marks: [] })
      const written = recipe === undefined ? '' : recipeText(recipe)
      expect(written).not.toMatch(/milk|bread/)
    }),
    { numRuns: 100 },
  )
})

test('the same run means the same, alone or shown twice', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { run } = runOf(given)
      const once = interpretRuns([run], { marks: [] })
      expect(interpretRuns([run], { marks: [] })).toEqual(once)
      const twice = interpretRuns([run, run], { marks: [] })
      expect(twice.steps.map(({ step_id, optional }) => [step_id, optional])).toEqual(
        once.steps.map(({ step_id }) => [step_id, undefined]),
      )
    }),
    { numRuns: 75 },
  )
})
