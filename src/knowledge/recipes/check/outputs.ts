import type { Recipe, RecipeOutput, RecipeStepType } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** Types whose result holds a text that was read. */
const READING: ReadonlySet<RecipeStepType> = new Set([
  'read_text',
  'read_key_value_pair',
  'wait_for_node',
  'expect',
])

/** An output comes from a step that reads something. */
export function checkOutputs(recipe: Recipe): Violation[] {
  return recipe.outputs.flatMap((output, at) => checkOutput(recipe, output, ['outputs', at]))
}

function checkOutput({ steps }: Recipe, output: RecipeOutput, path: RecipePath): Violation[] {
  const { from, pattern } = output
  const finding = { code: 'RECIPE_SCHEMA_INVALID', rule: 'outputs' } as const
  if (from === undefined) {
    return [warningAt({ ...finding, path, message: 'Without `from` it never has a value' })]
  }
  const step = steps.find(({ id }) => id === from)
  const found: Violation[] = []
  if (step === undefined || !READING.has(step.type)) {
    const message = step === undefined ? 'There is no such step' : `${step.type} reads no text`
    found.push(errorAt({ ...finding, path: [...path, 'from'], message }))
  }
  if (pattern !== undefined && groupsIn(pattern) !== 1) {
    const message = 'A pattern with exactly one group: the value'
    found.push(errorAt({ ...finding, path: [...path, 'pattern'], message }))
  }
  return found
}

/** How many groups a pattern captures; none if it is no pattern. */
function groupsIn(pattern: string): number {
  try {
    // With an empty way out it always matches, and the match has a place for every group.
    return (new RegExp(`(?:${pattern})|`).exec('')?.length ?? 1) - 1
  } catch {
    return 0
  }
}
