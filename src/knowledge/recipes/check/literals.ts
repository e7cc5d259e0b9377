import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { type Annotation, TEXT_KEYS } from '@apprentice/contracts/recipes/selector.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { collectTexts } from './inputs.ts'
import { createBlockedTermMatcher, DETECTORS } from './literal-detectors.ts'
import { listInputs, removePlaceholders } from '../parse/placeholders.ts'
import { collectClauses, collectSelectors } from '../parse/recipe-selectors.ts'
import { errorAt, type RecipePath, warningAt } from '../parse/violations.ts'

/** Fields with a fixed format, which are checked for blocked terms only. A version can look like a network address. */
const FIXED_FORM_FIELDS: ReadonlySet<PropertyKey> = new Set([
  'recipe_id',
  'recipe_version',
  'recipe_type',
  'application_id',
  'applicationId',
  'version_name',
  'last_verified_at',
  'device_model',
])
const MAX_LITERAL_LENGTH = 2000

/** Rule 8 for any parsed value, valid recipe or not: it must not contain personal data. */
export function findLiterals(value: unknown, blockedTerms: readonly string[] = []): Violation[] {
  const literals = collectTexts(value, []).map(({ path, text }) => ({
    path,
    literal: removePlaceholders(text).slice(0, MAX_LITERAL_LENGTH),
  }))
  const texts = literals.map(({ literal }) => literal)
  const isBlocked = createBlockedTermMatcher(blockedTerms, texts)
  return literals.flatMap(({ path, literal }) => {
    const kinds = FIXED_FORM_FIELDS.has(path.at(-1) ?? '')
      ? []
      : DETECTORS.filter(({ matches }) => matches(literal)).map(({ name }) => name)
    if (isBlocked(literal)) kinds.push('a blocked term')
    return [...new Set(kinds)].map((kind) => forbiddenLiteral(path, `The text contains ${kind}; use an input instead`))
  })
}

/** Rule 8 for selectors: variable texts come from an input, and every literal text has an annotation. */
export function checkAnnotations(recipe: Recipe): Violation[] {
  const clauses = collectSelectors(recipe).flatMap((placed) => collectClauses(placed))
  const inSelectors = clauses.flatMap(({ path, selector, annotation }) =>
    TEXT_KEYS.flatMap((key) => checkText(selector[key], annotation, [...path, key])),
  )
  const inOutcomes = (recipe.verification ?? []).flatMap((one, at) =>
    (['text_equals', 'text_contains'] as const).flatMap((key) =>
      checkText(one[key], one.annotation, ['verification', at, key]),
    ),
  )
  return [...inSelectors, ...inOutcomes]
}

function checkText(text: string | undefined, annotation: Annotation | undefined, path: RecipePath): Violation[] {
  if (text === undefined || listInputs(text).length > 0) return []
  if (annotation === 'USER_SPECIFIC' || annotation === 'VARIABLE') {
    return [forbiddenLiteral(path, `A text annotated as ${annotation} must come from an input`)]
  }
  if (annotation !== undefined) return []
  const message = 'The text has no annotation; add annotation: STRUCTURAL if it is part of the app'
  return [warningAt({ code: 'RECIPE_LITERAL_FORBIDDEN', rule: 8, path, message })]
}

function forbiddenLiteral(path: RecipePath, message: string): Violation {
  return errorAt({ code: 'RECIPE_LITERAL_FORBIDDEN', rule: 8, path, message })
}
