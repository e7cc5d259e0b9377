import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import type { Intent } from './intent.ts'
import type { Screen } from './screen.ts'

export type PruneReason =
  | 'typing_merged'
  | 'repeat_collapsed'
  | 'detour'
  | 'no_effect'
  | 'scroll_to_find'
  | 'launch'
  | 'dialog_dismissed'

/** Events that were dropped or joined, and why. A reviewer can restore them. */
export interface Pruned {
  readonly event_ids: readonly string[]
  readonly reason: PruneReason
  readonly summary: string
}

/** A button that closed a window which was not part of the workflow. */
export interface Dismissal {
  readonly screen: Screen
  readonly node: UiNode
}

export interface NormalizedTrace {
  readonly intents: readonly Intent[]
  readonly pruned: readonly Pruned[]
  readonly dismissals: readonly Dismissal[]
}

/** One step of normalization. */
export type Pass = (trace: NormalizedTrace) => NormalizedTrace

export function toPruned(intents: readonly Intent[], reason: PruneReason, summary: string): Pruned {
  return { event_ids: intents.flatMap(({ event_ids }) => event_ids), reason, summary }
}
