import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { findInterpretation, upsertInterpretation } from '../../store/proposals/interpretations.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import {
  findProposal,
  type StoredProposal,
  updateProposal,
} from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { endActiveRun } from './validation-run-record.ts'
import { recordProposalEvent } from './events.ts'
import { assertCanMove } from '../sessions/session-machine.ts'
import { moveSession } from '../sessions/session-moves.ts'

/** The caller's proposal, or the same answer an unknown id gets. */
export function getOwnProposal(reader: Reader, proposalId: string, owner: string): StoredProposal {
  const proposal = findProposal(reader, proposalId)
  if (proposal === undefined || proposal.owner_user_id !== owner) {
    throw new Failure('PROPOSAL_NOT_FOUND', `No proposal ${proposalId}.`)
  }
  return proposal
}

/** The proposal a session is working on. */
export function findSessionProposal(
  reader: Reader,
  session: Pick<StoredSession, 'proposal_id'>,
): StoredProposal | undefined {
  return session.proposal_id === undefined ? undefined : findProposal(reader, session.proposal_id)
}

/** The session that works on a proposal; undefined when it came from none, or that one was deleted. */
export function findProposalSession(
  reader: Reader,
  { proposal_id, learn_session_id }: Pick<StoredProposal, 'proposal_id' | 'learn_session_id'>,
): StoredSession | undefined {
  const session =
    learn_session_id === undefined ? undefined : findLearnSession(reader, learn_session_id)
  return session?.proposal_id === proposal_id ? session : undefined
}

/** What a session is called while its proposal is in a state. */
export const sessionStateOf: Readonly<Record<ProposalState, LearnSessionState>> = {
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

export interface Moved {
  readonly proposal: StoredProposal
  /** Absent for a proposal that came from no session. */
  readonly session?: StoredSession | undefined
}

/**
 * Takes a proposal and its session along a chain of legal hops in one command, so that the two never tell
 * different stories. A proposal without a session moves by the same table.
 */
export function moveProposal(
  ctx: CommandContext,
  proposal: StoredProposal,
  to: ProposalState | readonly ProposalState[],
  { reason, changes = {}, session_changes = {} }: MoveOptions = {},
): Moved {
  const chain = typeof to === 'string' ? [to] : to
  const last = chain.at(-1)
  if (last === undefined) throw new Error('A move needs at least one hop.')
  const hops = chain.map((state) => sessionStateOf[state])
  assertCanMove(sessionStateOf[proposal.proposal_state], ...hops)
  const session = findProposalSession(ctx.tx, proposal)
  const moved =
    session &&
    moveSession(ctx, session, hops, {
      ...(reason === undefined ? {} : { reason }),
      changes: session_changes,
    })
  if (last === 'approved') confirmMeaning(ctx, proposal)
  return {
    proposal: saveProposal(ctx, proposal, { ...changes, proposal_state: last }),
    session: moved,
  }
}

/** Who approves a skill says that it was understood. */
function confirmMeaning(ctx: CommandContext, { interpretation_id }: StoredProposal): void {
  const meaning =
    interpretation_id === undefined ? undefined : findInterpretation(ctx.tx, interpretation_id)
  if (meaning !== undefined) upsertInterpretation(ctx.tx, { ...meaning, user_confirmed: true })
}

/** Writes a change of a proposal and marks that it happened. */
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

const closedStates: readonly ProposalState[] = ['cancelled', 'rejected']

/** A session that is given up takes its proposal with it, and the tests that run on it. */
export function cancelSessionProposal(ctx: CommandContext, session: StoredSession): void {
  const proposal = findSessionProposal(ctx.tx, session)
  if (proposal === undefined || closedStates.includes(proposal.proposal_state)) return
  endActiveRun(ctx, proposal, { overall_result: 'cancelled', reason: 'session_cancelled' })
  saveProposal(ctx, proposal, { proposal_state: 'cancelled', active_validation_run_id: undefined })
}
