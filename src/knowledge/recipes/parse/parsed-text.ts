import type { Violation } from '@apprentice/contracts/recipes/violation.ts'
import { errorAt, type RecipePath } from './violations.ts'

/** The value of a text and the line of each path, or the problems. */
export type ParsedText =
  | { readonly value: unknown; readonly lines: ReadonlyMap<string, number> }
  | { readonly problems: readonly Violation[] }

export function textProblem(
  message: string,
  line: number,
  { rule = 'parse', path = [] }: { rule?: 'parse' | 4; path?: RecipePath } = {},
): Violation {
  return { ...errorAt({ code: 'RECIPE_PARSE_FAILED', rule, path, message }), line }
}
