import { isSmallWord, splitClauses, toBaseForm } from './content-words.ts'

/** From this share of common words on, two phrases ask for the same thing. Unrelated skills stay below it. */
export const MIN_LIKENESS = 0.75

/** A phrase longer than this is a collection of words, not a request. */
const MAX_WORDS = 8

/** The words of a phrase that carry its subject, without endings. */
export const toSubjectWords = (phrase: string): ReadonlySet<string> =>
  new Set(
    splitClauses(phrase)
      .flat()
      .filter((word) => !isSmallWord(word))
      .map(toBaseForm),
  )

/** The share of words that two phrases have in common; 0 for a collection of words. */
export function measureLikeness(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (one.size === 0 || other.size === 0 || one.size > MAX_WORDS || other.size > MAX_WORDS) return 0
  const shared = [...one].filter((word) => other.has(word)).length
  return shared / Math.max(one.size, other.size)
}

/** The greatest likeness of two lists of phrases. */
export function measureGreatestLikeness(ours: readonly string[], theirs: readonly string[]): number {
  const own = ours.map(toSubjectWords)
  const others = theirs.map(toSubjectWords)
  return Math.max(0, ...own.flatMap((one) => others.map((other) => measureLikeness(one, other))))
}
