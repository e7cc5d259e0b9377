import { type Screen, readTitle } from '../interpret/read/screen.ts'
import type { Candidate } from './controls/candidate.ts'
import type { SubGoal } from './goal/goal.ts'
import { coversAll, measureCoverage, splitWords } from './goal/words.ts'

/** A screen, and the labels that were tapped to get there. */
export interface ScreenContext {
  readonly screen: Screen
  readonly trail: readonly string[]
  /** The titles of the screens before it. */
  readonly titles?: readonly string[] | undefined
}

/** The words of the titles and of the tapped entries. Numbers of entries change and name nothing. */
export const listContextWords = ({ screen, trail, titles = [] }: ScreenContext): string[] => [
  ...[readTitle(screen), ...titles].flatMap(splitWords),
  ...trail.flatMap(splitWords).filter((word) => /\p{L}/u.test(word)),
]

/**
 * Finds the candidate whose name, together with the words around it and the context, contains all words of the goal. Of
 * several the one with more words of the goal in its own name wins, then the one with the shorter name. Undefined on a
 * tie.
 */
export function findSubject<T extends Candidate>(
  { words, hints }: Pick<SubGoal, 'words' | 'hints'>,
  context: ScreenContext,
  candidates: readonly T[],
): T | undefined {
  const contextWords = listContextWords(context)
  const isOnly = candidates.length === 1
  const matches = candidates
    .map((candidate) => ({ candidate, own: splitWords(candidate.name) }))
    .map(({ candidate, own }) => {
      const others = [...splitWords(candidate.around.replaceAll(candidate.name, ' ')), ...contextWords]
      // "Küchenlicht" is covered by the name "Licht" only together with the title "Küche".
      const added = measureCoverage(words, [...own, ...others]) - measureCoverage(words, others)
      return {
        candidate,
        own,
        share: Math.max(measureCoverage(words, own), added),
        hinted: measureCoverage(hints, own),
      }
    })
    .filter(({ candidate, own, share }) => {
      const mayStandAlone = share > 0 || (isOnly && candidate.unnamed)
      return mayStandAlone && coversAll(words, [...own, ...splitWords(candidate.around), ...contextWords])
    })
    .toSorted((a, b) => b.share - a.share || b.hinted - a.hinted || a.own.length - b.own.length)
  const [best, next] = matches
  if (best === undefined) return undefined
  const tied = next?.share === best.share && next.hinted === best.hinted && next.own.length === best.own.length
  return tied ? undefined : best.candidate
}
