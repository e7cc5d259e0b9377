import type { z } from 'zod'
import type {
  InstallLane,
  LearnSessionState,
  PendingUiState,
} from '@apprentice/contracts/learn/session.ts'

type UiState = z.infer<typeof PendingUiState>

/** What the pending list calls a session, in the documented order of conditions. */
export function pendingUiState(
  state: LearnSessionState,
  lane: z.infer<typeof InstallLane> | undefined,
): UiState {
  const named = namedStates[state]
  if (named !== undefined) return named
  return lane === 'experimental_private' || state === 'installed_private'
    ? 'private_active'
    : 'revision_required'
}

const namedStates: Readonly<Partial<Record<LearnSessionState, UiState>>> = {
  capturing: 'capturing',
  paused: 'capturing',
  awaiting_questions: 'awaiting_input',
  drafting_proposal: 'drafting',
  testing_proposal: 'testing',
  ready_for_review: 'ready_for_review',
}

/** The function above has a name for every state; only some sessions belong on the list. */
export const isPending = (state: LearnSessionState): boolean => !unlisted.includes(state)

const unlisted: readonly LearnSessionState[] = [
  'idle',
  'armed',
  'approved',
  'rejected',
  'cancelled',
]
