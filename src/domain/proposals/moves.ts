import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { findInterpretation, upsertInterpretation } from '../../store/proposals/interpretations.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { findProposal, type StoredProposal, updateProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { endActiveValidationRun } from './validation-run-record.ts'
import { recordProposalEvent } from './events.ts'
import { assertCanMove } from '../sessions/session-machine.ts'
import { moveSession } from '../sessions/session-moves.ts'

/** Throws the same failure for an unknown id and for a proposal of another user. */
export function getOwnProposal(reader: Reader, proposalId: string, owner: string): StoredProposal {
  const proposal = findProposal(reader, proposalId)
  if (proposal === undefined || proposal.owner_user_id !== owner) {
    throw new Failure('PROPOSAL_NOT_FOUND', `No proposal ${proposalId}.`)
  }
  return proposal
}

/** The current proposal of a session. */
export function findSessionProposal(
  reader: Reader,
  session: Pick<StoredSession, 'proposal_id'>,
): StoredProposal | undefined {
  return session.proposal_id === undefined ? undefined : findProposal(reader, session.proposal_id)
}

/** The session whose current proposal this is; undefined if it has none or the session was deleted. */
export function findProposalSession(
  reader: Reader,
  { proposal_id, learn_session_id }: Pick<StoredProposal, 'proposal_id' | 'learn_session_id'>,
): StoredSession | undefined {
  const session = learn_session_id === undefined ? undefined : findLearnSession(reader, learn_session_id)
  return session?.proposal_id === proposal_id ? session : undefined
}

/** The session state for each proposal state. */
export const SESSION_STATES: Readonly<Record<ProposalState, LearnSessionState>> = {
  awaiting_questions: 'awaiting_questions',
  draft: 'drafting_proposal',
  testing: 'testing_proposal',
  ready_for_review: 'ready_for_review',
  installing_private: 'installing_private',
  installed_private: 'installed_private',
  approved: 'approved',
  rejected: 'rejected',
  cancelled: 'cancelled',
  quarantined: 'quarantined',
}

export interface MoveOptions {
  readonly reason?: string | undefined
  readonly changes?: Partial<StoredProposal>
  readonly session_changes?: Partial<StoredSession>
}

export interface MoveResult {
  readonly proposal: StoredProposal
  /** Undefined for a proposal without a session. */
  readonly session?: StoredSession | undefined
}

/**
 * Moves a proposal and its session through a chain of legal transitions in one command, so that their states always
 * match. The same transitions apply to a proposal without a session.
 */
export function moveProposal(
  ctx: CommandContext,
  proposal: StoredProposal,
  to: ProposalState | readonly ProposalState[],
  { reason, changes = {}, session_changes = {} }: MoveOptions = {},
): MoveResult {
  const chain = typeof to === 'string' ? [to] : to
  const last = chain.at(-1)
  if (last === undefined) throw new Error('moveProposal requires at least one state.')
  const states = chain.map((state) => SESSION_STATES[state])
  assertCanMove(SESSION_STATES[proposal.proposal_state], ...states)
  const session = findProposalSession(ctx.tx, proposal)
  const moved =
    session &&
    moveSession(ctx, session, states, {
      ...(reason === undefined ? {} : { reason }),
      changes: session_changes,
    })
  if (last === 'approved') confirmInterpretation(ctx, proposal)
  return {
    proposal: saveProposal(ctx, proposal, { ...changes, proposal_state: last }),
    session: moved,
  }
}

/** Approving a skill confirms its interpretation. */
function confirmInterpretation(ctx: CommandContext, { interpretation_id }: StoredProposal): void {
  const interpretation = interpretation_id === undefined ? undefined : findInterpretation(ctx.tx, interpretation_id)
  if (interpretation !== undefined) upsertInterpretation(ctx.tx, { ...interpretation, user_confirmed: true })
}

/** Updates a proposal and records the change as an event. */
export function saveProposal(
  ctx: CommandContext,
  proposal: StoredProposal,
  changes: Partial<StoredProposal>,
): StoredProposal {
  const saved = {
    ...proposal,
    ...changes,
    updated_at: ctx.now,
    archived_at: undefined,
    revision: proposal.revision + 1,
  }
  updateProposal(ctx.tx, saved)
  const { proposal_state } = saved
  recordProposalEvent(ctx, saved, 'learn.proposal.changed', { proposal_state })
  return saved
}

const CLOSED_STATES: readonly ProposalState[] = ['cancelled', 'rejected']

/** Cancels the proposal of a cancelled session and its active validation run. */
export function cancelSessionProposal(ctx: CommandContext, session: StoredSession): void {
  const proposal = findSessionProposal(ctx.tx, session)
  if (proposal === undefined || CLOSED_STATES.includes(proposal.proposal_state)) return
  endActiveValidationRun(ctx, proposal, {
    overall_result: 'cancelled',
    reason: 'session_cancelled',
  })
  saveProposal(ctx, proposal, { proposal_state: 'cancelled', active_validation_run_id: undefined })
}
