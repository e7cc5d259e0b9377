import { splitBrackets } from './brackets.ts'

/** A part of a file pattern. `quoted` text matches itself. */
export interface PatternPart {
  readonly text: string
  readonly quoted: boolean
}

/** An expanded piece of a word. */
export interface Part extends PatternPart {
  /** Blanks in the text do not split the word. */
  readonly whole: boolean
  /** A new word begins here: the arguments of `"$@"`. */
  readonly begins?: boolean
}

type Token = { readonly any: true } | { readonly matches: (char: string) => boolean }

/** True if the pattern matches the whole text. Takes at most time in proportion to both lengths multiplied. */
export function matchPattern(parts: readonly PatternPart[], text: string): boolean {
  return matchTokens(toTokens(parts), Array.from(text))
}

/** The length of the shortest or longest start of the text that the pattern matches. Undefined if none does. */
export function matchStart(parts: readonly PatternPart[], text: string, longest: boolean): number | undefined {
  const ends = reachableEnds(toTokens(parts), Array.from(text))
  const chosen = longest ? ends.at(-1) : ends[0]
  return chosen === undefined ? undefined : Array.from(text).slice(0, chosen).join('').length
}

/** As matchStart, for the end of the text. */
export function matchEnd(parts: readonly PatternPart[], text: string, longest: boolean): number | undefined {
  const chars = Array.from(text).toReversed()
  const ends = reachableEnds(toTokens(parts).toReversed(), chars)
  const chosen = longest ? ends.at(-1) : ends[0]
  return chosen === undefined ? undefined : chars.slice(0, chosen).join('').length
}

export function hasPattern(parts: readonly PatternPart[]): boolean {
  return parts.some(({ text, quoted }) => !quoted && /[*?[]/.test(text))
}

function toTokens(parts: readonly PatternPart[]): Token[] {
  const tokens: Token[] = []
  for (const { text, quoted } of parts) {
    const pieces = quoted ? Array.from(text) : splitBrackets(text)
    for (const piece of pieces) tokens.push(quoted ? exactly(piece) : toToken(piece))
  }
  return tokens
}

function exactly(char: string): Token {
  return { matches: (other) => other === char }
}

function toToken(piece: string): Token {
  if (piece === '*') return { any: true }
  if (piece === '?') return { matches: () => true }
  return piece.length > 1 && piece.startsWith('[') ? toClass(piece.slice(1, -1)) : exactly(piece)
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  alpha: /\p{L}/u,
  digit: /\d/,
  alnum: /[\p{L}\d]/u,
  upper: /\p{Lu}/u,
  lower: /\p{Ll}/u,
  space: /\s/,
}

function toClass(text: string): Token {
  const negated = /^[!^]/.test(text)
  const body = negated ? text.slice(1) : text
  const named = /^\[:(\w+):\]$/.exec(body)?.[1]
  const ranges = [...body.matchAll(/([^])-([^])|([^])/gu)].map(([, from, to, one]) => [from ?? one, to ?? one])
  const contains = (char: string): boolean =>
    named === undefined
      ? ranges.some(([from = '', to = '']) => char >= from && char <= to)
      : (CLASSES[named]?.test(char) ?? false)
  return { matches: (char) => contains(char) !== negated }
}

/** Matches greedily and goes back to the last `*` only, which is enough. */
function matchTokens(tokens: readonly Token[], chars: readonly string[]): boolean {
  let [token, char, star, mark] = [0, 0, -1, 0]
  while (char < chars.length) {
    const next = tokens[token]
    if (next !== undefined && 'any' in next) {
      star = token
      mark = char
      token += 1
    } else if (next?.matches(chars[char] ?? '') === true) {
      token += 1
      char += 1
    } else if (star >= 0) {
      token = star + 1
      mark += 1
      char = mark
    } else {
      return false
    }
  }
  return tokens.slice(token).every((rest) => 'any' in rest)
}

/** All lengths of a start of the text that the tokens match, ascending. */
function reachableEnds(tokens: readonly Token[], chars: readonly string[]): number[] {
  let ends = new Set([0])
  for (const token of tokens) {
    const next = new Set<number>()
    if ('any' in token) {
      const first = Math.min(...ends)
      for (let end = first; end <= chars.length; end += 1) next.add(end)
    } else {
      for (const end of ends) if (end < chars.length && token.matches(chars[end] ?? '')) next.add(end + 1)
    }
    if (next.size === 0) return []
    ends = next
  }
  return [...ends].toSorted((a, b) => a - b)
}
