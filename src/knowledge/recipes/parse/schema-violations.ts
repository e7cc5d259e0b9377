import type { z } from 'zod'
import type { RecipeRule, Violation, ViolationCode } from '@apprentice/contracts/recipes/violation.ts'
import { errorAt, type RecipePath } from './violations.ts'

type Issue = z.core.$ZodIssue

/** Keys whose value is a selector or a list of selectors. */
const SELECTOR_KEYS: ReadonlySet<PropertyKey> = new Set([
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

interface CheckedValue {
  /** The validated value. `path` is its path in the recipe. */
  readonly value: unknown
  readonly path?: RecipePath
  /** The value itself is a selector. */
  readonly isSelector?: boolean
}

/** Converts schema issues to violations of the recipe rules. */
export function toViolations(
  issues: readonly Issue[],
  { value, path: prefix = [], isSelector = false }: CheckedValue,
): Violation[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path]
    if (issue.code === 'unrecognized_keys') {
      const inSelector = isSelectorPath(path) || (isSelector && issue.path.length === 0)
      return issue.keys.map((key) => unknownKey([...path, key], inSelector))
    }
    const absent = isAbsent(value, issue.path)
    const message = absent ? `${String(path.at(-1))} is required` : issue.message
    return [errorAt({ ...classifyIssue(path, absent), path, message })]
  })
}

function unknownKey(path: RecipePath, inSelector: boolean): Violation {
  return inSelector
    ? errorAt({
        code: 'RECIPE_SELECTOR_KEY_UNKNOWN',
        rule: 6,
        path,
        message: `Unknown selector key ${String(path.at(-1))}; remove it`,
      })
    : errorAt({
        code: 'RECIPE_SCHEMA_INVALID',
        rule: path[0] === 'steps' ? 4 : 1,
        path,
        message: `Unknown key ${String(path.at(-1))}; remove it`,
      })
}

function classifyIssue(path: RecipePath, absent: boolean): { code: ViolationCode; rule: RecipeRule } {
  const [top, , key] = path
  const invalid = 'RECIPE_SCHEMA_INVALID' as const
  if (top === 'recipe_type' || top === 'frameworks') return { code: invalid, rule: 2 }
  if (top === 'session_policy') return { code: 'RECIPE_SESSION_POLICY_INVALID', rule: 3 }
  if (path.some((part) => SELECTOR_KEYS.has(part))) return { code: invalid, rule: 6 }
  if (top !== 'steps') return { code: invalid, rule: 1 }
  const unsupported = key === 'type' && path.length === 3 && !absent
  return unsupported ? { code: 'RECIPE_ACTION_UNSUPPORTED', rule: 5 } : { code: invalid, rule: 4 }
}

function isAbsent(value: unknown, path: RecipePath): boolean {
  let at = value
  for (const key of path) at = (at as Record<PropertyKey, unknown> | undefined)?.[key]
  return at === undefined
}

function isSelectorPath(path: RecipePath): boolean {
  const name = path.findLast((part) => typeof part === 'string')
  return name !== undefined && SELECTOR_KEYS.has(name)
}
