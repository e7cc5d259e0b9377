import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { findLiterals } from './literals.ts'
import { parseJsonText } from '../parse/parse-json.ts'
import { parseMarkdownText } from '../parse/parse-markdown.ts'
import { textProblem } from '../parse/parsed-text.ts'
import { toViolations } from '../parse/schema-violations.ts'
import { validateRecipe, type ValidateOptions } from './validate.ts'
import { errorAt, isError, warningAt, withLines } from '../parse/violations.ts'

export type RecipeFormat = 'json' | 'markdown'
const MAX_LENGTH = 128_000
const MAX_VIOLATIONS = 200

export interface ReadOptions {
  /** Reports unknown fields as errors instead of warnings. */
  readonly strict?: boolean | undefined
}

export type ReadRecipe =
  | {
      readonly recipe: Recipe
      readonly warnings: readonly Violation[]
      readonly lines: ReadonlyMap<string, number>
    }
  | { readonly violations: readonly Violation[] }

export function parseRecipe(text: string, format: RecipeFormat, options: ReadOptions = {}): ReadRecipe {
  const parsed = parseText(text, format)
  if ('problems' in parsed) return { violations: parsed.problems }
  const read = readRecipe(parsed.value, options)
  const { lines } = parsed
  return 'recipe' in read
    ? { recipe: read.recipe, warnings: withLines(read.warnings, lines), lines }
    : { violations: withLines(read.violations, lines) }
}

/** Validates a recipe that is already parsed. */
export function readRecipe(value: unknown, { strict = false }: ReadOptions = {}): ReadRecipe {
  if (!isRecord(value)) {
    const message = 'The recipe must be an object'
    const code = 'RECIPE_SCHEMA_INVALID'
    return { violations: [errorAt({ code, rule: 1, path: [], message })] }
  }
  const { known, unknown } = removeUnknownFields(value, strict)
  const { renamed, duplicates } = renameMatchers(known)
  const parsed = Recipe.safeParse(renamed)
  const invalid = parsed.success ? [] : toViolations(parsed.error.issues, { value: renamed })
  const found = [...unknown, ...duplicates, ...invalid]
  return parsed.success && found.every(({ severity }) => severity === 'warning')
    ? { recipe: parsed.data, warnings: found, lines: new Map() }
    : { violations: found }
}

export type LintOptions = ReadOptions & ValidateOptions

export interface LintResult {
  readonly recipe?: Recipe
  readonly violations: readonly Violation[]
}

/** Parses and checks a text. Returns the recipe if it is valid, and all violations. */
export function lintRecipe(text: string, format: RecipeFormat, options: LintOptions = {}): LintResult {
  const parsed = parseText(text, format)
  if ('problems' in parsed) return { violations: parsed.problems }
  const linted = lintValue(parsed.value, options)
  return { ...linted, violations: withLines(linted.violations, parsed.lines) }
}

/** Checks a recipe that is already parsed. */
export function lintValue(value: unknown, options: LintOptions = {}): LintResult {
  const read = readRecipe(value, options)
  if ('recipe' in read) {
    const { recipe, warnings } = read
    return {
      recipe,
      violations: limitViolations([...warnings, ...validateRecipe(recipe, options)]),
    }
  }
  return {
    violations: limitViolations([...read.violations, ...findLiterals(value, options.blockedTerms)]),
  }
}

function limitViolations(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length <= MAX_VIOLATIONS) return violations
  // Errors first, so that the limit does not hide them.
  const ordered = violations.toSorted((a, b) => Number(isError(b)) - Number(isError(a)))
  const message = `${violations.length - MAX_VIOLATIONS} more violations are not listed`
  const rest = warningAt({ code: 'RECIPE_SCHEMA_INVALID', rule: 'size', path: [], message })
  return [...ordered.slice(0, MAX_VIOLATIONS), rest]
}

function parseText(text: string, format: RecipeFormat) {
  if (text.length > MAX_LENGTH) {
    return {
      problems: [textProblem(`The recipe text is longer than ${MAX_LENGTH} characters`, 1)],
    }
  }
  return format === 'json' ? parseJsonText(text) : parseMarkdownText(text)
}

function removeUnknownFields(value: Readonly<Record<string, unknown>>, strict: boolean) {
  const isKnown = (key: string) => Object.hasOwn(Recipe.shape, key)
  const report = strict ? errorAt : warningAt
  const unknown = Object.keys(value)
    .filter((key) => !isKnown(key))
    .map((key) =>
      report({
        code: 'RECIPE_SCHEMA_INVALID',
        rule: 1,
        path: [key],
        message: `Unknown field ${key}; remove it`,
      }),
    )
  const known = Object.fromEntries(Object.entries(value).filter(([key]) => isKnown(key)))
  return { known, unknown }
}

/** `matcher` is an alias of `selector` in a step. A step must not have both. */
function renameMatchers(value: Readonly<Record<string, unknown>>) {
  const { steps } = value
  if (!Array.isArray(steps)) return { renamed: value, duplicates: [] }
  const duplicates = steps.flatMap((step: unknown, at) =>
    isRecord(step) && 'matcher' in step && 'selector' in step
      ? [
          errorAt({
            code: 'RECIPE_SCHEMA_INVALID',
            rule: 4,
            path: ['steps', at, 'matcher'],
            message: 'matcher is an alias of selector; remove one of them',
          }),
        ]
      : [],
  )
  return { renamed: { ...value, steps: steps.map(renameMatcher) }, duplicates }
}

function renameMatcher(step: unknown): unknown {
  if (!isRecord(step) || !('matcher' in step)) return step
  const { matcher, ...rest } = step
  return { selector: matcher, ...rest }
}
