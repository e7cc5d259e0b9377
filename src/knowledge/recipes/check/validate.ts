import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { checkCapabilities } from '../lower/capabilities.ts'
import { checkDialect, checkIndexes } from './dialect.ts'
import { checkIds } from './ids.ts'
import { checkInputs } from './inputs.ts'
import { checkAnnotations, findLiterals } from './literals.ts'
import { checkOutputs } from './outputs.ts'
import { checkSession } from './session.ts'
import { checkSteps } from './steps.ts'
import { checkVerification } from './verification.ts'
import { checkCompatibility } from '../parse/compatibility.ts'
import { buildSample } from '../parse/input-values.ts'
import { lowerParts } from '../parts/lower-parts.ts'
import { isError } from '../parse/violations.ts'

export interface ValidateOptions {
  readonly blockedTerms?: readonly string[] | undefined
}

/** All violations of a recipe, warnings included. The recipe is valid if none is an error. */
export function validateRecipe(recipe: Recipe, { blockedTerms }: ValidateOptions = {}): Violation[] {
  const structure = checkStructure(recipe)
  return [
    ...structure,
    ...(structure.some(isError) ? [] : checkSampleExecution(recipe)),
    ...findLiterals(recipe, blockedTerms),
    ...checkAnnotations(recipe),
  ]
}

/** The checks that a recipe must pass to be compiled. */
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

/** Lowers the recipe with sample inputs: the result must be a valid execution. */
function checkSampleExecution(recipe: Recipe): Violation[] {
  const values = new Map(recipe.inputs.map((input) => [input.name, buildSample(input)]))
  const header = { commandId: 'sample', taskId: 'sample' }
  const lowered = lowerParts(recipe, values, header, 'RECIPE_SCHEMA_INVALID')
  return lowered.ok ? [] : [...lowered.violations]
}
