import { parsePattern } from '@apprentice/contracts/devices/pattern.ts'
import type { Recipe, RecipeOutput, RecipeStepType } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { listCalls } from '../parse/ability-calls.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** Step types with a text in their result. */
const READING_TYPES: ReadonlySet<RecipeStepType> = new Set([
  'read_text',
  'read_key_value_pair',
  'wait_for_node',
  'expect',
])

/** Every output must name a step that reads a text. */
export function checkOutputs(recipe: Recipe): Violation[] {
  return recipe.outputs.flatMap((output, at) => checkOutput(recipe, output, ['outputs', at]))
}

function checkOutput(recipe: Recipe, output: RecipeOutput, path: RecipePath): Violation[] {
  const { from, pattern } = output
  const { steps } = recipe
  const finding = { code: 'RECIPE_SCHEMA_INVALID', rule: 'outputs' } as const
  if (from === undefined) {
    if (listCalls(recipe).some(({ call }) => Object.hasOwn(call.outputs, output.name))) return []
    return [
      warningAt({
        ...finding,
        path,
        message: 'The output has no value without from; set it to the id of a reading step',
      }),
    ]
  }
  const step = steps.find(({ id }) => id === from)
  const found: Violation[] = []
  if (step === undefined || !READING_TYPES.has(step.type)) {
    const message =
      step === undefined ? `The step ${from} does not exist` : `The step ${from} of type ${step.type} reads no text`
    found.push(errorAt({ ...finding, path: [...path, 'from'], message }))
  }
  if (output.type === 'list' && step?.params?.['all'] !== true) {
    const message = 'A list is read by a step of type read_text with the parameter all'
    found.push(errorAt({ ...finding, path: [...path, 'type'], message }))
  }
  if (pattern !== undefined && countGroups(pattern) !== 1) {
    const message = 'The pattern must be a valid regular expression with exactly one capture group'
    found.push(errorAt({ ...finding, path: [...path, 'pattern'], message }))
  }
  return found
}

/** The number of capture groups of a pattern; 0 if it is invalid. */
function countGroups(pattern: string): number {
  const parsed = parsePattern(pattern)
  return 'problem' in parsed ? 0 : parsed.groups
}
