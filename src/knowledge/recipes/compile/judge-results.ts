import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { CompiledStep } from './compile.ts'

/** Reasons for which what a step was to bring about was looked for and not seen. */
const NOT_SEEN: ReadonlySet<string | undefined> = new Set([
  'VALIDATOR_MISMATCH',
  'NODE_NOT_FOUND',
  'CONTAINER_NOT_FOUND',
])

/**
 * The results as the recipe means them: a confirmation that did not hold is a failed verification, and a
 * step that found more, less or something other than it asked for is done only in part.
 */
export function judgeResults(
  recipe: Recipe,
  steps: readonly CompiledStep[],
  results: readonly StepResult[],
): StepResult[] {
  const roles = new Map(steps.map((step) => [step.action_id, step]))
  return results.map((result) => {
    const confirms = roles.get(result.id)?.confirm === true
    if (!result.success && confirms && NOT_SEEN.has(result.data['error'])) {
      const cause = result.data['error'] ?? ''
      return { ...result, data: { ...result.data, error: 'VERIFY_FAILED', cause } }
    }
    return withCounts(result, expectedCount(recipe, result.id))
  })
}

function expectedCount({ steps }: Recipe, id: string): number | undefined {
  const step = steps.find((one) => one.id === id)
  const written = step?.params?.['expected_count']
  return typeof written === 'number' ? written : undefined
}

/** Several where one was asked for stays a failure; what was read of more or fewer still counts for something. */
function withCounts(result: StepResult, expected: number | undefined): StepResult {
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
