import { type Bits, combine } from './bits.ts'
import { IN_PROJECT, IN_TITLE, IN_TRIGGER, getMaxScore } from './score-table.ts'
import type { TriggerMatch } from './trigger-index.ts'

/** The slots that a query matches, by the way they match. */
export interface QueryMatch extends TriggerMatch {
  /** Abilities whose title contains two words of the query. */
  readonly titles: Bits
  /** Abilities with a negative trigger that occurs in the query. */
  readonly rejected: Bits
  /** Abilities scoped to the project of the query. */
  readonly project: Bits
  /** Abilities that the caller may see. */
  readonly visible: Bits
  /** The match kind that applies to every ability. */
  readonly baseKind: number
}

interface MatchGroup {
  /** The match kind of all slots of the group, without the project flag. */
  readonly matchKind: number
  /** No slot of the group scores higher. */
  readonly maxScore: number
  readonly slots: () => Bits
}

/** The visible matches by match kind, highest possible score first, so that a search can stop early. */
export function groupByKind({ full, partial, titles, rejected, project, visible, baseKind }: QueryMatch): MatchGroup[] {
  const group = (kind: number, all: readonly [Bits, ...Bits[]], not: readonly Bits[]): MatchGroup => ({
    matchKind: baseKind | kind,
    maxScore: getMaxScore(baseKind | kind | IN_PROJECT),
    slots: () => combine([...all, visible], [...not, rejected]),
  })
  return [
    group(IN_TRIGGER.full | IN_TITLE, [full, titles], []),
    group(IN_TRIGGER.full, [full], [titles]),
    group(IN_TRIGGER.partial | IN_TITLE, [partial, titles], []),
    group(IN_TRIGGER.partial, [partial], [titles]),
    group(IN_TITLE, [titles], [full, partial]),
    group(0, [project], [full, partial, titles]),
  ]
}
