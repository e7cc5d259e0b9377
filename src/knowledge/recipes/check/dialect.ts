import { DIALECT_2_RECIPE_KEYS, DIALECT_2_STEP_KEYS, type Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { DIALECT_2_SELECTOR_KEYS } from '@apprentice/contracts/recipes/selector.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { collectClauses, collectSelectors } from '../parse/recipe-selectors.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** A recipe of dialect 1 must not use keys of dialect 2. */
export function checkDialect(recipe: Recipe): Violation[] {
  if (recipe.recipe_dialect === 2) return []
  return [
    ...DIALECT_2_RECIPE_KEYS.filter((key) => recipe[key] !== undefined).map((key) => needsDialect2([key])),
    ...recipe.steps.flatMap((step, at) =>
      DIALECT_2_STEP_KEYS.filter((key) => step[key] !== undefined).map((key) => needsDialect2(['steps', at, key])),
    ),
    ...collectSelectors(recipe)
      .flatMap((placed) => collectClauses(placed))
      .flatMap(({ path, selector }) =>
        DIALECT_2_SELECTOR_KEYS.filter((key) => selector[key] !== undefined).map((key) =>
          errorAt({
            code: 'RECIPE_SELECTOR_KEY_UNKNOWN',
            rule: 6,
            path: [...path, key],
            message: `${key} requires recipe_dialect: 2`,
          }),
        ),
      ),
  ]
}

/** Warns about selectors by list position, because lists change. */
export function checkIndexes(recipe: Recipe): Violation[] {
  const clauses = collectSelectors(recipe).flatMap((placed) => collectClauses(placed))
  const alone = clauses.filter(({ selector }) => isIndexAlone(selector))
  const byPosition = clauses.some(
    ({ selector }) => selector.index !== undefined || selector.index_in_parent !== undefined,
  )
  const unexplained = byPosition && (recipe.known_quirks ?? []).length === 0
  return [
    ...alone.map(({ path }) =>
      indexWarning(
        path,
        'The selector has only index_in_parent; add another key, because another item may be at this position',
      ),
    ),
    ...(unexplained
      ? [
          indexWarning(
            ['known_quirks'],
            'A selector uses a list position; describe in known_quirks how the position can vary',
          ),
        ]
      : []),
  ]
}

function isIndexAlone(selector: object): boolean {
  const keys = Object.entries(selector).filter(
    ([key, value]) => value !== undefined && key !== 'annotation' && key !== 'index',
  )
  return keys.length === 1 && keys[0]?.[0] === 'index_in_parent'
}

function needsDialect2(path: RecipePath): Violation {
  const message = `${String(path.at(-1))} requires recipe_dialect: 2`
  return errorAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'dialect', path, message })
}

function indexWarning(path: RecipePath, message: string): Violation {
  return warningAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'index', path, message })
}
