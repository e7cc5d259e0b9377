const dateWords = new Set(
  (
    'monday tuesday wednesday thursday friday saturday sunday january february march april may june july ' +
    'august september october november december today tomorrow yesterday'
  ).split(' '),
)

const quoted = /"[^"]*"|“[^”]*”|„[^“]*“|«[^»]*»|(?<!\p{L})'[^']*'(?!\p{L})/gu
const address = /\S+@\S+|\b[a-z][a-z0-9+.-]*:\/\/\S+/giu

/**
 * A goal without what differs from one time to the next: ids, dates, numbers, and names. A name is what stands in
 * quotation marks, what was typed on the way, or a word written with a capital inside a sentence; but where nothing
 * but names would go, they stay.
 */
export function goalWords(goal: string, typed: readonly string[] = []): string[] {
  const plain = goal.normalize('NFC').replaceAll(quoted, ' ').replaceAll(address, ' ')
  const words = wordsOf(withoutTyped(plain, typed))
  const common = words.filter(({ text, opens }) => opens || !isName(text))
  return (common.length >= fewestWords ? common : words).map(({ text }) => text.toLowerCase())
}

const fewestWords = 2

/** The words as one line, by which goals are compared and shown. */
export const goalKey = (words: readonly string[]): string => words.join(' ').slice(0, 240).trim()

function withoutTyped(goal: string, typed: readonly string[]): string {
  return typed
    .map((text) => text.normalize('NFC').trim())
    .filter((text) => text !== '')
    .reduce((left, text) => cut(left, text), goal)
}

/** Where it stands alone, whatever its case. */
function cut(goal: string, text: string): string {
  const escaped = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return goal.replaceAll(
    new RegExp(String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`, 'giu'),
    ' ',
  )
}

interface Word {
  readonly text: string
  /** It begins a sentence, where a capital means nothing. */
  readonly opens: boolean
}

function wordsOf(text: string): Word[] {
  return text.split(/[.!?;:\n]+/u).flatMap((sentence) =>
    sentence
      .split(/[^\p{L}\p{M}\p{N}_-]+/u)
      .flatMap((piece) => piece.split(/[_-]+/u).filter((part) => part !== ''))
      .map((part, at) => ({ text: part, opens: at === 0 }))
      .filter(({ text: word }) => !/\p{N}/u.test(word) && !dateWords.has(word.toLowerCase())),
  )
}

const isName = (word: string): boolean => /^\p{Lu}[\p{Ll}\p{M}]+$/u.test(word)

/** Shared words among all words. Two goals that say nothing are alike. */
export function likeness(one: readonly string[], other: readonly string[]): number {
  const [a, b] = [new Set(one), new Set(other)]
  if (a.size === 0 && b.size === 0) return 1
  const shared = [...a].filter((word) => b.has(word)).length
  return shared / (a.size + b.size - shared)
}
