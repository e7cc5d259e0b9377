import type {
  RecipeRule,
  Violation,
  ViolationCode,
} from '@apprentice/contracts/recipes/violation.ts'

/** Where in a recipe: `steps`, 2, `selector`. */
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

/** Says of each violation on which line it is: that of its place, or of the nearest place around it. */
export function withLines(
  violations: readonly Violation[],
  lines: ReadonlyMap<string, number>,
): Violation[] {
  return violations.map((violation) => {
    const line = violation.line ?? lineOf(violation.path, lines)
    return line === undefined ? violation : { ...violation, line }
  })
}

function lineOf(path: string, lines: ReadonlyMap<string, number>): number | undefined {
  for (let place = path; ; place = place.slice(0, Math.max(0, place.lastIndexOf('.')))) {
    const line = lines.get(place)
    if (line !== undefined || place === '') return line
  }
}
