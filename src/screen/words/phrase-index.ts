import type { PhraseTable } from './language.ts'

/** The phrases of one meaning, ready to be looked for in a text. */
export interface PhraseIndex {
  /** The phrases of languages with spaces by their first word, longest first. */
  readonly phrases: ReadonlyMap<string, readonly (readonly string[])[]>
  /** Matches the phrases of languages that are written without spaces or attach endings. */
  readonly joined: RegExp
  /** The same phrases without spaces. */
  readonly whole: ReadonlySet<string>
}

export function buildIndex(table: PhraseTable): PhraseIndex {
  const phrases = new Map<string, string[][]>()
  const joined = new Set<string>()
  for (const phrase of Object.values(table).flatMap((text) => text.split(',').map((one) => one.trim()))) {
    const plain = toPlainText(phrase)
    const words = splitWords(plain)
    const [first] = words
    if (first === undefined) throw new Error('A word list contains an empty phrase.')
    if (JOINED_SCRIPT.test(plain)) joined.add(plain)
    else phrases.set(first, [...(phrases.get(first) ?? []), words])
  }
  for (const list of phrases.values()) list.sort((one, other) => other.length - one.length)
  const longest = [...joined].toSorted((one, other) => other.length - one.length)
  return {
    phrases,
    // A single character is also a part of other words.
    joined: new RegExp(longest.filter((phrase) => phrase.length > 1).join('|') || '(?!)', 'u'),
    whole: new Set(longest.map((phrase) => splitWords(phrase).join(''))),
  }
}

/** The longest phrase that starts at a word. */
export function findAt(
  phrases: PhraseIndex['phrases'],
  words: readonly string[],
  at: number,
): readonly string[] | undefined {
  const starting = phrases.get(words[at] ?? '')
  return starting?.find((phrase) => phrase.every((word, offset) => words[at + offset] === word))
}

/** Lower case, one form of each character, straight apostrophes, without marks that only guide pronunciation. */
export function toPlainText(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .replaceAll(/[\u2018\u2019\u02bc\u0060\u00b4]/g, "'")
    .replaceAll(/[\u064b-\u0652\u0640]/g, '')
}

/** A hyphenated word is one word: "error-free" is not an error. */
export function splitWords(plain: string): string[] {
  return plain.match(WORD) ?? []
}

const WORD = /[\p{L}\p{M}\p{N}]+(?:['/-][\p{L}\p{M}\p{N}]+)*/gu
const JOINED_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
/** Longer texts are content, not labels. */
const MAX_LENGTH = 2000
