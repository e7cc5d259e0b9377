import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { errorAt } from './violations.ts'

/** Whether the installed app version is in the range of a recipe; `unknown` without a range or version. */
export function evaluateCompatibility(
  { compatibility = {} }: Pick<Recipe, 'compatibility'>,
  versionCode: number | undefined,
): 'in_range' | 'out_of_range' | 'unknown' {
  const { min_version_code: min, max_version_code: max } = compatibility
  if (min === undefined && max === undefined) return 'unknown'
  if (versionCode === undefined) return 'unknown'
  return versionCode >= (min ?? 0) && versionCode <= (max ?? Infinity) ? 'in_range' : 'out_of_range'
}

export function checkCompatibility({ compatibility = {} }: Recipe): Violation[] {
  const { min_version_code: min = 0, max_version_code: max = Infinity } = compatibility
  if (min <= max) return []
  const message = 'min_version_code is greater than max_version_code'
  return [errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 1, path: ['compatibility'], message })]
}
