import type { z } from 'zod'
import type { InstallLane, LearnSessionState, PendingUiState } from '@apprentice/contracts/learn/session.ts'

type UiState = z.infer<typeof PendingUiState>

/** The UI state of a session in the pending list. Conditions are checked in the documented order. */
export function toPendingUiState(state: LearnSessionState, lane: z.infer<typeof InstallLane> | undefined): UiState {
  const uiState = UI_STATES[state]
  if (uiState !== undefined) return uiState
  return lane === 'experimental_private' || state === 'installed_private' ? 'private_active' : 'revision_required'
}

const UI_STATES: Readonly<Partial<Record<LearnSessionState, UiState>>> = {
  capturing: 'capturing',
  paused: 'capturing',
  awaiting_questions: 'awaiting_input',
  drafting_proposal: 'drafting',
  testing_proposal: 'testing',
  ready_for_review: 'ready_for_review',
}

/** Whether the pending list contains sessions in this state. `toPendingUiState` itself accepts every state. */
export const isPending = (state: LearnSessionState): boolean => !UNLISTED_STATES.includes(state)

const UNLISTED_STATES: readonly LearnSessionState[] = ['idle', 'armed', 'approved', 'rejected', 'cancelled']
