import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { CompiledStep } from './compile.ts'

/** Errors that mean: the expected state was searched for and not found. */
const NOT_FOUND_ERRORS: ReadonlySet<string | undefined> = new Set([
  'VALIDATOR_MISMATCH',
  'NODE_NOT_FOUND',
  'CONTAINER_NOT_FOUND',
])

/**
 * Interprets results by the recipe: a failed confirmation is a failed verification, and a step that found another number
 * of matches than expected, or used a fallback, is partial.
 */
export function judgeResults(
  recipe: Recipe,
  steps: readonly CompiledStep[],
  results: readonly StepResult[],
): StepResult[] {
  const roles = new Map(steps.map((step) => [step.action_id, step]))
  return results.map((result) => {
    const confirms = roles.get(result.id)?.confirm === true
    if (!result.success && confirms && NOT_FOUND_ERRORS.has(result.data['error'])) {
      const cause = result.data['error'] ?? ''
      return { ...result, data: { ...result.data, error: 'VERIFY_FAILED', cause } }
    }
    return addCounts(result, readExpectedCount(recipe, result.id))
  })
}

function readExpectedCount({ steps }: Recipe, id: string): number | undefined {
  const step = steps.find((one) => one.id === id)
  const count = step?.params?.['expected_count']
  return typeof count === 'number' ? count : undefined
}

/** An ambiguous match stays a failure. A successful step with an unexpected count becomes partial. */
function addCounts(result: StepResult, expected: number | undefined): StepResult {
  const { candidate_count, count, used_fallback } = result.data
  if (!result.success) {
    if (candidate_count === undefined) return result
    const counts = { expected_count: '1', observed_count: candidate_count }
    return { ...result, data: { ...result.data, ...counts } }
  }
  const differs = expected !== undefined && count !== undefined && Number(count) !== expected
  if (!differs) return used_fallback === undefined ? result : { ...result, outcome: 'partial' }
  const counts = { expected_count: String(expected), observed_count: count }
  return { ...result, outcome: 'partial', data: { ...result.data, ...counts } }
}
