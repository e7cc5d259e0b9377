import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { findLiterals } from './literals.ts'
import { parseJsonText } from '../parse/parse-json.ts'
import { parseMarkdownText } from '../parse/parse-markdown.ts'
import { textProblem } from '../parse/parsed-text.ts'
import { schemaViolations } from '../parse/schema-violations.ts'
import { validateRecipe, type ValidateOptions } from './validate.ts'
import { errorAt, isError, warningAt, withLines } from '../parse/violations.ts'

export type RecipeFormat = 'json' | 'markdown'
const MAX_LENGTH = 128_000
/** Nobody reads on after that many. */
const MAX_VIOLATIONS = 200

export interface ReadOptions {
  /** A field nobody knows is an error, not a warning. */
  readonly strict?: boolean | undefined
}

export type ReadRecipe =
  | {
      readonly recipe: Recipe
      readonly warnings: readonly Violation[]
      readonly lines: ReadonlyMap<string, number>
    }
  | { readonly violations: readonly Violation[] }

export function parseRecipe(
  text: string,
  format: RecipeFormat,
  options: ReadOptions = {},
): ReadRecipe {
  const parsed = parseText(text, format)
  if ('problems' in parsed) return { violations: parsed.problems }
  const read = readRecipe(parsed.value, options)
  const { lines } = parsed
  return 'recipe' in read
    ? { recipe: read.recipe, warnings: withLines(read.warnings, lines), lines }
    : { violations: withLines(read.violations, lines) }
}

/** A recipe that is already an object, as it comes from anywhere. */
export function readRecipe(value: unknown, { strict = false }: ReadOptions = {}): ReadRecipe {
  if (!isRecord(value)) {
    const message = 'A recipe is fields and values'
    const code = 'RECIPE_SCHEMA_INVALID'
    return { violations: [errorAt({ code, rule: 1, path: [], message })] }
  }
  const { known, strangers } = withoutStrangers(value, strict)
  const { spelled, doubled } = withSelectors(known)
  const parsed = Recipe.safeParse(spelled)
  const invalid = parsed.success ? [] : schemaViolations(parsed.error.issues, { value: spelled })
  const found = [...strangers, ...doubled, ...invalid]
  return parsed.success && found.every(({ severity }) => severity === 'warning')
    ? { recipe: parsed.data, warnings: found, lines: new Map() }
    : { violations: found }
}

export type LintOptions = ReadOptions & ValidateOptions

export interface Linted {
  readonly recipe?: Recipe
  readonly violations: readonly Violation[]
}

/** Everything there is to say about a text: what it is if it is a recipe, and all that is wrong with it. */
export function lintRecipe(text: string, format: RecipeFormat, options: LintOptions = {}): Linted {
  const parsed = parseText(text, format)
  if ('problems' in parsed) return { violations: parsed.problems }
  const linted = lintValue(parsed.value, options)
  return { ...linted, violations: withLines(linted.violations, parsed.lines) }
}

/** The same for what is an object already. */
export function lintValue(value: unknown, options: LintOptions = {}): Linted {
  const read = readRecipe(value, options)
  if ('recipe' in read) {
    const { recipe, warnings } = read
    return { recipe, violations: atMost([...warnings, ...validateRecipe(recipe, options)]) }
  }
  return { violations: atMost([...read.violations, ...findLiterals(value, options.blockedTerms)]) }
}

function atMost(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length <= MAX_VIOLATIONS) return violations
  // Errors first: what is left out must not be what makes the recipe unfit.
  const kept = violations.toSorted((a, b) => Number(isError(b)) - Number(isError(a)))
  const message = `There are ${violations.length - MAX_VIOLATIONS} more`
  const rest = warningAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'size', path: [], message })
  return [...kept.slice(0, MAX_VIOLATIONS), rest]
}

function parseText(text: string, format: RecipeFormat) {
  if (text.length > MAX_LENGTH) {
    return {
      problems: [textProblem(`The text is longer than ${MAX_LENGTH} characters`, 1)],
    }
  }
  return format === 'json' ? parseJsonText(text) : parseMarkdownText(text)
}

function withoutStrangers(value: Readonly<Record<string, unknown>>, strict: boolean) {
  const isKnown = (key: string) => Object.hasOwn(Recipe.shape, key)
  const tell = strict ? errorAt : warningAt
  const strangers = Object.keys(value)
    .filter((key) => !isKnown(key))
    .map((key) =>
      tell({
        code: 'RECIPE_SCHEMA_INVALID',
        rule: 1,
        path: [key],
        message: 'No recipe has this field',
      }),
    )
  const known = Object.fromEntries(Object.entries(value).filter(([key]) => isKnown(key)))
  return { known, strangers }
}

/** A step may call its selector `matcher`, but not have both. */
function withSelectors(value: Readonly<Record<string, unknown>>) {
  const { steps } = value
  if (!Array.isArray(steps)) return { spelled: value, doubled: [] }
  const doubled = steps.flatMap((step: unknown, at) =>
    isRecord(step) && 'matcher' in step && 'selector' in step
      ? [
          errorAt({
            code: 'RECIPE_SCHEMA_INVALID',
            rule: 4,
            path: ['steps', at, 'matcher'],
            message: 'A selector and a matcher are the same; one of them must go',
          }),
        ]
      : [],
  )
  return { spelled: { ...value, steps: steps.map(withSelector) }, doubled }
}

function withSelector(step: unknown): unknown {
  if (!isRecord(step) || !('matcher' in step)) return step
  const { matcher, ...rest } = step
  return { selector: matcher, ...rest }
}
