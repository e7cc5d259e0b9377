import { parsePattern } from '@apprentice/contracts/devices/pattern.ts'
import { RE2JS } from 're2js'

/** The size of a pattern times the length of the text. It bounds the time of a match to a few dozen milliseconds. */
const MAX_MATCH_COST = 400_000
/** Repeated looks at a screen use the same few patterns. A compiled pattern may hold some megabytes. */
const MAX_COMPILED = 8

interface CompiledPattern {
  readonly engine: RE2JS
  readonly size: number
  readonly groups: number
}

export type PatternMatch =
  | { readonly kind: 'matched'; readonly groups: readonly (string | undefined)[] }
  | { readonly kind: 'missed' }
  | { readonly kind: 'refused'; readonly problem: string }

const compiled = new Map<string, CompiledPattern>()

/** Matches the whole text with a pattern from outside, in time linear in the text. */
export function matchWhole(source: string, text: string): PatternMatch {
  return withPattern(source, text, ({ engine }) => (engine.matches(text) ? { kind: 'matched', groups: [] } : undefined))
}

/** Finds the first match of a pattern from outside and its capture groups, in time linear in the text. */
export function findFirst(source: string, text: string): PatternMatch {
  return withPattern(source, text, ({ engine, groups }) => {
    const matcher = engine.matcher(text)
    if (!matcher.find()) return undefined
    const values = Array.from({ length: groups }, (_, at) => matcher.group(at + 1) ?? undefined)
    return { kind: 'matched', groups: values }
  })
}

export interface FoundMatch {
  readonly whole: string
  readonly groups: readonly (string | undefined)[]
}

/** Finds the matches of a pattern from outside, at most `limit`. Undefined if the pattern is refused. */
export function findMatches(source: string, text: string, limit: number): FoundMatch[] | undefined {
  const found: FoundMatch[] = []
  const last = withPattern(source, text, ({ engine, groups }) => {
    const matcher = engine.matcher(text)
    while (found.length < limit && matcher.find()) {
      const values = Array.from({ length: groups }, (_, at) => matcher.group(at + 1) ?? undefined)
      found.push({ whole: matcher.group() ?? '', groups: values })
    }
    return undefined
  })
  return last.kind === 'refused' ? undefined : found
}

function withPattern(
  source: string,
  text: string,
  match: (pattern: CompiledPattern) => PatternMatch | undefined,
): PatternMatch {
  const pattern = compiled.get(source) ?? compilePattern(source)
  if ('problem' in pattern) return { kind: 'refused', problem: `The pattern ${pattern.problem}.` }
  remember(source, pattern)
  if (pattern.size * text.length > MAX_MATCH_COST) {
    const problem = `The pattern has ${pattern.size} parts, which is too many for a text of ${text.length} characters.`
    return { kind: 'refused', problem }
  }
  return match(pattern) ?? { kind: 'missed' }
}

function compilePattern(source: string): CompiledPattern | { readonly problem: string } {
  const parsed = parsePattern(source)
  if ('problem' in parsed) return parsed
  const { re2, size, groups } = parsed
  return { engine: RE2JS.compile(re2), size, groups }
}

/** Keeps the patterns used last. */
function remember(source: string, pattern: CompiledPattern): void {
  compiled.delete(source)
  compiled.set(source, pattern)
  const [oldest] = compiled.keys()
  if (compiled.size > MAX_COMPILED && oldest !== undefined) compiled.delete(oldest)
}
