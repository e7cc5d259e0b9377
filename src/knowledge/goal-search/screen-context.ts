import { type Screen, titleWords } from '../interpret/read/screen.ts'
import { overlap, saysAll, wordsOf } from './words.ts'

/** A screen, and what was touched to get there. */
export interface ScreenContext {
  readonly screen: Screen
  readonly trail: readonly string[]
}

/** The first thing an entry says: its name. The rest is what it tells about itself. */
export const headOf = (label: string): string => label.split(' · ')[0] ?? ''

/** What the screen is about, as far as its title and the way to it tell. */
export const contextOf = ({ screen, trail }: ScreenContext): string[] =>
  [titleWords(screen), ...trail.map(headOf)].flatMap(wordsOf)

/**
 * The one among these that is meant: what it is called and where it stands say all of the subject, and no other
 * says more of it. Undefined where there is none, or where it could as well be another.
 */
export function meantOf<T extends { readonly called: string }>(
  subject: string,
  sight: ScreenContext,
  among: readonly T[],
): T | undefined {
  const wanted = wordsOf(subject)
  const context = contextOf(sight)
  const fitting = among
    .map((one) => ({ one, said: wordsOf(one.called) }))
    .map(({ one, said }) => ({ one, said, share: overlap(wanted, said) }))
    .filter(({ said, share }) => share > 0 && saysAll(wanted, [...said, ...context]))
    .toSorted((a, b) => b.share - a.share || a.said.length - b.said.length)
  const [best, next] = fitting
  if (best === undefined) return undefined
  const tied = next?.share === best.share && next.said.length === best.said.length
  return tied ? undefined : best.one
}
