import type { RecipeRule, Violation, ViolationCode } from '@apprentice/contracts/recipes/violation.ts'

/** A path in a recipe, such as `['steps', 2, 'selector']`. */
export type RecipePath = readonly PropertyKey[]

export interface Finding {
  readonly code: ViolationCode
  readonly rule: RecipeRule
  readonly path: RecipePath
  readonly message: string
}

export function errorAt({ code, rule, path, message }: Finding): Violation {
  return { code, path: path.map(String).join('.'), message, rule, severity: 'error' }
}

export function warningAt(finding: Finding): Violation {
  return { ...errorAt(finding), severity: 'warning' }
}

export function isError({ severity }: Violation): boolean {
  return severity === 'error'
}

/** Adds the line of each violation: of its path, or of the nearest enclosing path. */
export function withLines(violations: readonly Violation[], lines: ReadonlyMap<string, number>): Violation[] {
  return violations.map((violation) => {
    const line = violation.line ?? findLine(violation.path, lines)
    return line === undefined ? violation : { ...violation, line }
  })
}

function findLine(path: string, lines: ReadonlyMap<string, number>): number | undefined {
  for (let prefix = path; ; prefix = prefix.slice(0, Math.max(0, prefix.lastIndexOf('.')))) {
    const line = lines.get(prefix)
    if (line !== undefined || prefix === '') return line
  }
}
