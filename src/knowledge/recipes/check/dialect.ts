import {
  DIALECT_2_RECIPE_KEYS,
  DIALECT_2_STEP_KEYS,
  type Recipe,
} from '@apprentice/contracts/recipes/recipe.ts'
import { DIALECT_2_SELECTOR_KEYS } from '@apprentice/contracts/recipes/selector.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { clausesOf, selectorsOf } from '../parse/recipe-selectors.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** A recipe of the first dialect says nothing that only the second knows. */
export function checkDialect(recipe: Recipe): Violation[] {
  if (recipe.recipe_dialect === 2) return []
  return [
    ...DIALECT_2_RECIPE_KEYS.filter((key) => recipe[key] !== undefined).map((key) => later([key])),
    ...recipe.steps.flatMap((step, at) =>
      DIALECT_2_STEP_KEYS.filter((key) => step[key] !== undefined).map((key) =>
        later(['steps', at, key]),
      ),
    ),
    ...selectorsOf(recipe)
      .flatMap((placed) => clausesOf(placed))
      .flatMap(({ path, selector }) =>
        DIALECT_2_SELECTOR_KEYS.filter((key) => selector[key] !== undefined).map((key) =>
          errorAt({
            code: 'RECIPE_SELECTOR_KEY_UNKNOWN',
            rule: 6,
            path: [...path, key],
            message: `${key} needs recipe_dialect: 2`,
          }),
        ),
      ),
  ]
}

/** Lists change: a place in one is no name. */
export function checkIndexes(recipe: Recipe): Violation[] {
  const clauses = selectorsOf(recipe).flatMap((placed) => clausesOf(placed))
  const alone = clauses.filter(({ selector }) => isIndexAlone(selector))
  const byPlace = clauses.some(
    ({ selector }) => selector.index !== undefined || selector.index_in_parent !== undefined,
  )
  const unexplained = byPlace && (recipe.known_quirks ?? []).length === 0
  return [
    ...alone.map(({ path }) =>
      warned(path, 'A place in a list is all this asks for; another item may stand there'),
    ),
    ...(unexplained
      ? [warned(['known_quirks'], 'A step chooses by place; say here how the number may vary')]
      : []),
  ]
}

function isIndexAlone(selector: object): boolean {
  const keys = Object.entries(selector).filter(
    ([key, value]) => value !== undefined && key !== 'annotation' && key !== 'index',
  )
  return keys.length === 1 && keys[0]?.[0] === 'index_in_parent'
}

function later(path: RecipePath): Violation {
  const message = `${String(path.at(-1))} needs recipe_dialect: 2`
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'dialect', path, message })
}

function warned(path: RecipePath, message: string): Violation {
  return warningAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'index', path, message })
}
