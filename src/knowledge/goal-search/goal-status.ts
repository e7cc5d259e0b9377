import type { PlannedEdit } from './planned-edit.ts'

/** Whether a screen shows that a sub-goal is reached. */
export type GoalStatus =
  | { readonly state: 'holds' }
  /** It is not reached. Each plan may reach it. */
  | { readonly state: 'open'; readonly plans: readonly (readonly PlannedEdit[])[] }
  /** The screen does not show what the sub-goal is about. */
  | { readonly state: 'unseen' }

export const UNSEEN: GoalStatus = { state: 'unseen' }

export const toOpenStatus = (...plans: (readonly PlannedEdit[])[]): GoalStatus =>
  plans.length === 0 ? UNSEEN : { state: 'open', plans }
