import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Recipe, RecipeStep } from '@apprentice/contracts/recipes/recipe.ts'
import { listActions } from '../../src/knowledge/recipes/lower/lower-recipe.ts'
import { lowerParts, type RecipePart } from '../../src/knowledge/recipes/parts/lower-parts.ts'
import { setTemperature } from './samples.ts'
import { countRuns } from '../kit/count-runs.ts'

const VALUES = new Map<string, string | number | boolean>([
  ['room', 'Lobby'],
  ['degrees', 21],
  ['on', true],
])
const HEADER = { commandId: 'c', taskId: 't' }

const buildRecipe = (steps: RecipeStep[], skip_if_done: boolean): Recipe => ({
  ...setTemperature,
  skip_if_done,
  checkpoints: [],
  outputs: [],
  steps,
})

function lower(recipe: Recipe, budgetMs?: number): readonly RecipePart[] {
  const lowered = lowerParts(recipe, VALUES, { ...HEADER, budgetMs }, 'RECIPE_SCHEMA_INVALID')
  if (!lowered.ok) throw new Error(JSON.stringify(lowered.violations))
  return lowered.parts
}

const arbitraryStep = fc.record({
  type: fc.constantFrom('sleep' as const, 'open_app' as const, 'call_ability' as const),
  waits: fc.boolean(),
  confirms: fc.boolean(),
})

const arbitrarySteps = fc.array(arbitraryStep, { minLength: 1, maxLength: 150 }).map((steps) =>
  steps.map(({ type, waits, confirms }, at): RecipeStep => ({
    id: `s${at}`,
    type,
    ...(type === 'sleep' && { params: { durationMs: 1 } }),
    ...(type === 'call_ability' && { params: { ability_id: 'learned.other' } }),
    ...(waits && { wait: { after_ms: 1 } }),
    ...(confirms && { confirm: { selector: { resource_id: 'a.b:id/c' } } }),
  })),
)

const MARKERS = ['already.next', 'already.done']

test('parts contain every action once, in order, and keep the actions of a step together', () => {
  fc.assert(
    fc.property(arbitrarySteps, fc.boolean(), fc.integer({ min: 1000, max: 900_000 }), (steps, skips, budgetMs) => {
      const recipe = buildRecipe(steps, skips)
      const parts = lower(recipe, budgetMs)
      const ids = parts.flatMap((part) =>
        part.kind === 'call' ? [part.call.step_id] : part.execution.actions.map(({ id }) => id),
      )
      expect(ids.filter((id) => !MARKERS.includes(id))).toEqual(listActions(recipe).map(({ action }) => action.id))
      for (const part of parts) {
        if (part.kind === 'call') continue
        expect(part.execution.actions.length).toBeLessThanOrEqual(50)
        expect(part.execution.timeoutMs).toBeLessThanOrEqual(120_000)
      }
      const places = new Map<string, Set<number>>()
      for (const [at, part] of parts.entries()) {
        if (part.kind === 'call') continue
        const steps = part.actions.filter(({ role }) => role !== 'session')
        for (const { step_id } of steps) places.set(step_id, (places.get(step_id) ?? new Set()).add(at))
      }
      expect([...places.values()].every(({ size }) => size === 1)).toBe(true)
    }),
    { numRuns: countRuns(60) },
  )
})

test('a recipe that fits into one execution and its time is not split', () => {
  expect(lower(setTemperature)).toHaveLength(1)
  expect(lower(setTemperature, 120_000)).toHaveLength(1)
  expect(lower(setTemperature, 120_001).length).toBeGreaterThan(1)
})

test('the verification of a split recipe is a part of its own, and the first check skips to its marker', () => {
  const pauses = Array.from({ length: 80 }, (_, at): RecipeStep => ({
    id: `p${at}`,
    type: 'sleep',
    params: { durationMs: 1 },
  }))
  const parts = lower(buildRecipe(pauses, true))
  expect(parts.map((part) => part.kind === 'execution' && part.verifies)).toEqual([false, false, true])
  const [first] = parts
  const checks = first?.kind === 'execution' ? first.execution.actions.filter(({ type }) => type === 'expect') : []
  expect(checks.at(-1)).toMatchObject({ params: { skipTo: 'already.done' } })
})
