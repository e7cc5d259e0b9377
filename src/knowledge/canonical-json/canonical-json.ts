import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'

/** JSON with sorted keys and without white space: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value))
}

/** The text of a recipe file. */
export function formatRecipe(recipe: Recipe): string {
  return `${JSON.stringify(sortKeys(recipe), null, 2)}\n`
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isRecord(value)) return value
  const keys = Object.keys(value).toSorted()
  return Object.fromEntries(keys.map((key) => [key, sortKeys(value[key])]))
}
