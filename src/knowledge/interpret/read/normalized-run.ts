import type { UiNode } from '../../../screen/hierarchy.ts'
import type { Move } from './move.ts'
import type { Screen } from './screen.ts'

export type PruneReason =
  | 'typing_merged'
  | 'repeat_collapsed'
  | 'detour'
  | 'no_effect'
  | 'scroll_to_find'
  | 'launch'
  | 'dialog_dismissed'

/** What was left out or taken together, and why; a reviewer can have it back. */
export interface Pruned {
  readonly event_ids: readonly string[]
  readonly reason: PruneReason
  readonly summary: string
}

/** A button that sent away a window which was no part of the work. */
export interface Dismissal {
  readonly screen: Screen
  readonly node: UiNode
}

/** A demonstration on its way from touches to meaning. */
export interface NormalizedRun {
  readonly moves: readonly Move[]
  readonly pruned: readonly Pruned[]
  readonly dismissals: readonly Dismissal[]
}

export type Pass = (account: NormalizedRun) => NormalizedRun

export function pruning(moves: readonly Move[], reason: PruneReason, summary: string): Pruned {
  return { event_ids: moves.flatMap(({ event_ids }) => event_ids), reason, summary }
}
