import type { z } from 'zod'
import type {
  RecipeRule,
  Violation,
  ViolationCode,
} from '@apprentice/contracts/recipes/violation.ts'
import { errorAt, type RecipePath } from './violations.ts'

type Issue = z.core.$ZodIssue

/** Keys under which a selector stands, alone or in a list. */
const SELECTOR_PLACES: ReadonlySet<PropertyKey> = new Set([
  'selector',
  'container',
  'any_of',
  'all_of',
  'containing',
  'fallbacks',
  'when',
  'unless',
  'dismissals',
  'starts_on',
])

interface Checked {
  /** What the schema looked at, and where that is in the recipe. */
  readonly value: unknown
  readonly path?: RecipePath
  /** It is a selector itself. */
  readonly isSelector?: boolean
}

/** What a schema says is wrong, as violations of the recipe's rules. */
export function schemaViolations(
  issues: readonly Issue[],
  { value, path: prefix = [], isSelector = false }: Checked,
): Violation[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      const inSelector = isSelectorPlace(path) || (isSelector && issue.path.length === 0)
      return issue.keys.map((key) => unknownKey([...path, key], inSelector))
    }
    const absent = isAbsent(value, issue.path)
    const message = absent ? 'This is required' : issue.message
    return [errorAt({ ...judged(path, absent), path, message })]
  })
}

function unknownKey(path: RecipePath, inSelector: boolean): Violation {
  return inSelector
    ? errorAt({
        code: 'RECIPE_SELECTOR_KEY_UNKNOWN',
        rule: 6,
        path,
        message: 'No selector has this key',
      })
    : errorAt({
        code: 'RECIPE_SCHEMA_INVALID',
        rule: path[0] === 'steps' ? 4 : 1,
        path,
        message: 'There is no such key here',
      })
}

function judged(path: RecipePath, absent: boolean): { code: ViolationCode; rule: RecipeRule } {
  const [top, , key] = path
  const invalid = 'RECIPE_SCHEMA_INVALID' as const
  if (top === 'recipe_type' || top === 'frameworks') return { code: invalid, rule: 2 }
  if (top === 'session_policy') return { code: 'RECIPE_SESSION_POLICY_INVALID', rule: 3 }
  if (path.some((part) => SELECTOR_PLACES.has(part))) return { code: invalid, rule: 6 }
  if (top !== 'steps') return { code: invalid, rule: 1 }
  const unsupported = key === 'type' && path.length === 3 && !absent
  return unsupported ? { code: 'RECIPE_ACTION_UNSUPPORTED', rule: 5 } : { code: invalid, rule: 4 }
}

function isAbsent(value: unknown, path: RecipePath): boolean {
  let at = value
  for (const key of path) at = (at as Record<PropertyKey, unknown> | undefined)?.[key]
  return at === undefined
}

function isSelectorPlace(path: RecipePath): boolean {
  const name = path.findLast((part) => typeof part === 'string')
  return name !== undefined && SELECTOR_PLACES.has(name)
}
