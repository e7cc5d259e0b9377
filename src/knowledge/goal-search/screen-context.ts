import { type Screen, readTitle } from '../interpret/read/screen.ts'
import { measureOverlap, containsAll, splitWords } from './goal-words.ts'

/** A screen, and the labels that were tapped to get there. */
export interface ScreenContext {
  readonly screen: Screen
  readonly trail: readonly string[]
}

/** The first label of a list entry is its name. */
export const readEntryName = (label: string): string => label.split(' · ')[0] ?? ''

/** The words of the title and of the tapped entries. */
export const listContextWords = ({ screen, trail }: ScreenContext): string[] =>
  [readTitle(screen), ...trail.map(readEntryName)].flatMap(splitWords)

/**
 * Finds the candidate whose name, together with the context, contains all words of the subject. Of several, the one
 * with more words of the subject in its own name wins, then the one with the shorter name. Returns undefined on a tie.
 */
export function findSubject<T extends { readonly name: string }>(
  subject: string,
  context: ScreenContext,
  candidates: readonly T[],
): T | undefined {
  const expected = splitWords(subject)
  const contextWords = listContextWords(context)
  const matches = candidates
    .map((candidate) => ({ candidate, words: splitWords(candidate.name) }))
    .map(({ candidate, words }) => ({ candidate, words, share: measureOverlap(expected, words) }))
    .filter(({ words, share }) => share > 0 && containsAll(expected, [...words, ...contextWords]))
    .toSorted((a, b) => b.share - a.share || a.words.length - b.words.length)
  const [best, next] = matches
  if (best === undefined) return undefined
  const tied = next?.share === best.share && next.words.length === best.words.length
  return tied ? undefined : best.candidate
}
