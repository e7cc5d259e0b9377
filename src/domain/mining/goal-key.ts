const DATE_WORDS = new Set(
  (
    'monday tuesday wednesday thursday friday saturday sunday january february march april may june july ' +
    'august september october november december today tomorrow yesterday'
  ).split(' '),
)

const QUOTED_TEXT = /"[^"]*"|“[^“”]*”|„[^„“]*“|«[^«»]*»|(?<!\p{L})'[^']*'(?!\p{L})/gu
const ADDRESS = /(?<!\S)\S+@\S+|\b[a-z][a-z0-9+.-]{0,30}:\/\/\S+/giu

/**
 * The words of a goal without the parts that vary between executions: ids, dates, numbers and names. Names are quoted
 * text, typed text, and capitalized words inside a sentence. Capitalized words stay if fewer than two words would
 * remain without them.
 */
export function extractGoalWords(goal: string, typed: readonly string[] = []): string[] {
  const plain = goal.normalize('NFC').replaceAll(QUOTED_TEXT, ' ').replaceAll(ADDRESS, ' ')
  const words = splitWords(removeTyped(plain, typed))
  const common = words.filter(({ text, opens }) => opens || !isName(text))
  return (common.length >= MIN_COMMON_WORDS ? common : words).map(({ text }) => text.toLowerCase())
}

const MIN_COMMON_WORDS = 2

export const formatGoalKey = (words: readonly string[]): string => words.join(' ').slice(0, 240).trim()

function removeTyped(goal: string, typed: readonly string[]): string {
  return typed
    .map((text) => text.normalize('NFC').trim())
    .filter((text) => text !== '')
    .reduce((rest, text) => removePhrase(rest, text), goal)
}

/** Removes whole-word occurrences, ignoring case. */
function removePhrase(goal: string, text: string): string {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return goal.replaceAll(new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`, 'giu'), ' ')
}

interface Word {
  readonly text: string
  /** The first word of a sentence is capitalized anyway. */
  readonly opens: boolean
}

function splitWords(text: string): Word[] {
  return text.split(/[.!?;:\n]+/u).flatMap((sentence) =>
    sentence
      .split(/[^\p{L}\p{M}\p{N}_-]+/u)
      .flatMap((piece) => piece.split(/[_-]+/u).filter((part) => part !== ''))
      .map((part, at) => ({ text: part, opens: at === 0 }))
      .filter(({ text: word }) => !/\p{N}/u.test(word) && !DATE_WORDS.has(word.toLowerCase())),
  )
}

const isName = (word: string): boolean => /^\p{Lu}[\p{Ll}\p{M}]+$/u.test(word)

/** The Jaccard index of two word sets; 1 when both are empty. */
export function measureSimilarity(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [new Set(one), new Set(other)]
  if (a.size === 0 && b.size === 0) return 1
  const shared = [...a].filter((word) => b.has(word)).length
  return shared / (a.size + b.size - shared)
}
