import type { Recipe } from '../../../contracts/recipes/recipe.ts'
import type { Violation } from '../../../contracts/recipes/violation.ts'
import { checkCapabilities } from './capabilities.ts'
import { checkDialect, checkIndexes } from './check-dialect.ts'
import { checkIds } from './check-ids.ts'
import { checkInputs } from './check-inputs.ts'
import { checkAnnotations, findLiterals } from './check-literals.ts'
import { checkOutputs } from './check-outputs.ts'
import { checkSession } from './check-session.ts'
import { checkSteps } from './check-steps.ts'
import { checkVerification } from './check-verification.ts'
import { checkCompatibility } from './compatibility.ts'
import { sampleOf } from './input-values.ts'
import { lowerRecipe } from './lower-recipe.ts'
import { isError } from './violations.ts'

export interface ValidateOptions {
  readonly blockedTerms?: readonly string[] | undefined
}

/** Every violation of a recipe, warnings included. It is fit to be kept when none is an error. */
export function validateRecipe(
  recipe: Recipe,
  { blockedTerms }: ValidateOptions = {},
): Violation[] {
  const structure = checkStructure(recipe)
  return [
    ...structure,
    ...(structure.some(isError) ? [] : tryOut(recipe)),
    ...findLiterals(recipe, blockedTerms),
    ...checkAnnotations(recipe),
  ]
}

/** What must hold for a recipe to be compiled at all. */
export function checkStructure(recipe: Recipe): Violation[] {
  return [
    ...checkSession(recipe),
    ...checkCompatibility(recipe),
    ...checkSteps(recipe),
    ...checkDialect(recipe),
    ...checkIds(recipe),
    ...checkVerification(recipe),
    ...checkInputs(recipe),
    ...checkOutputs(recipe),
    ...checkCapabilities(recipe),
    ...checkIndexes(recipe),
  ]
}

/** With a value for each input, what comes out must be an execution. */
function tryOut(recipe: Recipe): Violation[] {
  const values = new Map(recipe.inputs.map((input) => [input.name, sampleOf(input)]))
  const marks = { commandId: 'sample', taskId: 'sample' }
  const lowered = lowerRecipe(recipe, values, marks, 'RECIPE_SCHEMA_INVALID')
  return lowered.ok ? [] : lowered.violations
}
