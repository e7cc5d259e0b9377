import type { ProposalState } from '../../../contracts/learn/proposal.ts'
import { Failure } from '../../failure.ts'
import type { Reader } from '../../store/db.ts'
import type { StoredSession } from '../../store/learn-sessions.ts'
import { findProposal, type StoredProposal, updateProposal } from '../../store/proposals.ts'
import type { Act } from '../act.ts'
import { recordEvent, recordSessionEvent } from '../ledger.ts'

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

/** Writes a change of a proposal and marks that it happened. */
export function saveProposal(
  act: Act,
  proposal: StoredProposal,
  changes: Partial<StoredProposal>,
): StoredProposal {
  const saved = {
    ...proposal,
    ...changes,
    updated_at: act.now,
    archived_at: undefined,
    revision: proposal.revision + 1,
  }
  updateProposal(act.tx, saved)
  recordProposalChange(act, saved)
  return saved
}

const closedStates: readonly ProposalState[] = ['cancelled', 'rejected']

/** A session that is given up takes its proposal with it. */
export function cancelSessionProposal(act: Act, session: StoredSession): void {
  const proposal = findSessionProposal(act.tx, session)
  if (proposal === undefined || closedStates.includes(proposal.proposal_state)) return
  saveProposal(act, proposal, { proposal_state: 'cancelled' })
}

function recordProposalChange(act: Act, proposal: StoredProposal): void {
  const { proposal_id, proposal_state, learn_session_id } = proposal
  const payload = { proposal_id, proposal_state }
  if (learn_session_id === undefined) {
    recordEvent(act, `proposal/${proposal_id}`, 'learn.proposal.changed', payload)
  } else {
    recordSessionEvent(act, learn_session_id, 'learn.proposal.changed', {
      ref: `proposal:${proposal_id}`,
      payload,
    })
  }
}
