import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Annotation, TEXT_KEYS } from '@apprentice/contracts/recipes/selector.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { textsIn } from './inputs.ts'
import { blockedTermFinder, DETECTORS } from './literal-detectors.ts'
import { inputsIn, literalOf } from '../parse/placeholders.ts'
import { clausesOf, selectorsOf } from '../parse/recipe-selectors.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** Fields whose form is fixed: a version is no address. Blocked terms are looked for here as well. */
const FIXED_FORM: ReadonlySet<PropertyKey> = new Set([
  'recipe_id',
  'recipe_version',
  'recipe_type',
  'application_id',
  'applicationId',
  'version_name',
  'last_verified_at',
  'device_model',
])
const LONGEST = 2000

/** Rule 8 on anything that was read, whether or not it is a recipe: nothing personal is written out. */
export function findLiterals(value: unknown, blockedTerms: readonly string[] = []): Violation[] {
  const literals = textsIn(value, []).map(({ path, text }) => ({
    path,
    literal: literalOf(text).slice(0, LONGEST),
  }))
  const texts = literals.map(({ literal }) => literal)
  const isBlocked = blockedTermFinder(blockedTerms, texts)
  return literals.flatMap(({ path, literal }) => {
    const kinds = FIXED_FORM.has(path.at(-1) ?? '')
      ? []
      : DETECTORS.filter(({ finds }) => finds(literal)).map(({ says }) => says)
    if (isBlocked(literal)) kinds.push('a blocked term')
    return [...new Set(kinds)].map((says) =>
      forbidden(path, `This holds ${says}; make it an input`),
    )
  })
}

/** Rule 8 on selectors: words that vary come from an input, and every word says what it is. */
export function checkAnnotations(recipe: Recipe): Violation[] {
  const clauses = selectorsOf(recipe).flatMap((placed) => clausesOf(placed))
  const inSelectors = clauses.flatMap(({ path, selector, annotation }) =>
    TEXT_KEYS.flatMap((key) => checkWords(selector[key], annotation, [...path, key])),
  )
  const inOutcomes = (recipe.verification ?? []).flatMap((one, at) =>
    (['text_equals', 'text_contains'] as const).flatMap((key) =>
      checkWords(one[key], one.annotation, ['verification', at, key]),
    ),
  )
  return [...inSelectors, ...inOutcomes]
}

function checkWords(
  words: string | undefined,
  annotation: Annotation | undefined,
  path: RecipePath,
): Violation[] {
  if (words === undefined || inputsIn(words).length > 0) return []
  if (annotation === 'USER_SPECIFIC' || annotation === 'VARIABLE') {
    return [forbidden(path, `${annotation} words come from an input`)]
  }
  if (annotation !== undefined) return []
  const message = 'Without an annotation nobody knows whether these words are part of the app'
  return [warningAt({ code: 'RECIPE_LITERAL_FORBIDDEN', rule: 8, path, message })]
}

function forbidden(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_LITERAL_FORBIDDEN', rule: 8, path, message })
}
