import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'

/** One text for one value: keys sorted, nothing that is undefined, no blanks. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value))
}

/** A recipe as it is kept in a file. */
export function recipeText(recipe: Recipe): string {
  return `${JSON.stringify(sorted(recipe), null, 2)}\n`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  const keys = Object.keys(value).toSorted()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}
