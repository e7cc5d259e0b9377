import { type Bits, sift } from './bits.ts'
import { inProject, inTitle, inTrigger, mostAt } from './score-table.ts'
import type { TriggerMatch } from './trigger-index.ts'

/** What a query met. */
export interface QueryMatch extends TriggerMatch {
  readonly titles: Bits
  /** By a negative trigger. */
  readonly refused: Bits
  readonly project: Bits
  /** Those that may be found at all. */
  readonly open: Bits
  /** How it met every ability there is. */
  readonly least: number
}

interface Part {
  /** How the query met all of it, but for the project, as the table of scores numbers it. */
  readonly meeting: number
  /** More than this none of it can score. */
  readonly most: number
  readonly slots: () => Bits
}

/** Those met that may be found, the most promising first: often the others need not be looked at. */
export function partsOf({
  full,
  partial,
  titles,
  refused,
  project,
  open,
  least,
}: QueryMatch): Part[] {
  const part = (how: number, all: readonly [Bits, ...Bits[]], not: readonly Bits[]): Part => ({
    meeting: least | how,
    most: mostAt(least | how | inProject),
    slots: () => sift([...all, open], [...not, refused]),
  })
  return [
    part(inTrigger.full | inTitle, [full, titles], []),
    part(inTrigger.full, [full], [titles]),
    part(inTrigger.partial | inTitle, [partial, titles], []),
    part(inTrigger.partial, [partial], [titles]),
    part(inTitle, [titles], [full, partial]),
    part(0, [project], [full, partial, titles]),
  ]
}
