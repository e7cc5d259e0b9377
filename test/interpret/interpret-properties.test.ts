import fc from 'fast-check'
import { expect, test } from 'vitest'
import { interpretTraces } from '../../src/knowledge/interpret/draft/interpret.ts'
import { formatRecipe } from '../../src/knowledge/canonical-json/canonical-json.ts'
import { validateRecipe } from '../../src/knowledge/recipes/check/validate.ts'
import { buildTrace, TOUCHES } from './tiny-app.ts'
import { countRuns } from '../kit/count-runs.ts'

const walk = fc.array(fc.constantFrom(...TOUCHES), { maxLength: 40 })

test('every trace gives a valid recipe or a doubt', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { recipe, doubts } = interpretTraces([buildTrace(given).trace], { marks: [] })
      if (recipe === undefined) {
        expect(doubts).not.toEqual([])
        return
      }
      const faults = validateRecipe(recipe).filter(({ severity }) => severity === 'error')
      const isUnproved = doubts.some(({ field }) => field === 'success_condition')
      expect(faults.filter(({ code }) => code !== 'RECIPE_VERIFICATION_MISSING')).toEqual([])
      if (faults.length > 0) expect(isUnproved).toBe(true)
    }),
    { numRuns: countRuns(150) },
  )
})

test('no recipe contains typed text', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { recipe } = interpretTraces([buildTrace(given).trace], { marks: [] })
      const written = recipe === undefined ? '' : formatRecipe(recipe)
      expect(written).not.toMatch(/milk|bread/)
    }),
    { numRuns: countRuns(100) },
  )
})

test('the same trace gives the same steps, alone or twice', () => {
  fc.assert(
    fc.property(walk, (given) => {
      const { trace } = buildTrace(given)
      const once = interpretTraces([trace], { marks: [] })
      expect(interpretTraces([trace], { marks: [] })).toEqual(once)
      const twice = interpretTraces([trace, trace], { marks: [] })
      expect(twice.steps.map(({ step_id, optional }) => [step_id, optional])).toEqual(
        once.steps.map(({ step_id }) => [step_id, undefined]),
      )
    }),
    { numRuns: countRuns(75) },
  )
})
