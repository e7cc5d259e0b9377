import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import type { CheckpointLintReport } from '@apprentice/contracts/learn/validation.ts'
import type { InstallLane } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { z } from 'zod'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { assertLintPassed, lintProposal } from '../proposals/lint-proposal.ts'
import { findImportOfProposal } from '../../store/skill-import/skill-imports.ts'
import { proposalRejected } from '../skill-import/record/follow-install.ts'
import { assertNoActiveRun } from '../validation/start-run.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import { assertDependencies } from '../proposals/dependencies.ts'
import { getOwnProposal, moveProposal, sessionStateOf } from '../proposals/moves.ts'

export function rejectProposal(
  ctx: CommandContext,
  proposalId: string,
  reason: string,
): StoredProposal {
  const proposal = getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id)
  assertNoActiveRun(ctx.tx, proposal)
  const moved = moveProposal(ctx, proposal, 'rejected', { reason: clip(reason, 240) })
  const { proposal_id, learn_session_id } = proposal
  recordReceipt(ctx, 'learn.proposal.rejected', {
    proposal_id,
    ...(learn_session_id === undefined ? {} : { learn_session_id }),
    from_state: sessionStateOf[proposal.proposal_state],
    to_state: 'rejected',
    summary: 'Proposal rejected.',
    reason: clip(reason, 240),
    details: { reason },
  })
  proposalRejected(ctx, proposal, reason)
  return moved.proposal
}

export interface Installing {
  /** The draft the reviewer looked at. */
  readonly draft_hash?: string | undefined
  readonly lane: z.infer<typeof InstallLane>
  /** The states it may be installed from. */
  readonly from?: readonly ProposalState[]
}

/**
 * Refuses to install what may not be: while its tests run, from a state nobody decides in, another draft than the
 * one that was looked at, one the linter does not pass, or one that lacks what it needs. Writes the linter's report.
 */
export function assertInstallable(
  ctx: CommandContext,
  proposal: StoredProposal,
  { draft_hash, lane, from = ['ready_for_review'] }: Installing,
): CheckpointLintReport {
  assertNoActiveRun(ctx.tx, proposal)
  const { proposal_state: state, proposal_id } = proposal
  if (!from.includes(state)) {
    throw new Failure(
      'INVALID_LEARN_STATE_TRANSITION',
      `The proposal is ${state}; this needs ${from.join(' or ')}.`,
      { details: { state, allowed: from } },
    )
  }
  assertSameDraft(proposal, { draft_hash, lane })
  const report = lintProposal(ctx, proposal)
  // How others write their skills is told when their bundle is scanned, and does not stop it.
  if (findImportOfProposal(ctx.tx, proposal_id) === undefined) assertLintPassed(report)
  assertDependencies(ctx.tx, proposal_id)
  return report
}

/** Only for oneself may something be installed without saying which draft was looked at. */
function assertSameDraft(
  proposal: StoredProposal,
  { draft_hash, lane }: Pick<Installing, 'draft_hash' | 'lane'>,
): void {
  if (draft_hash === undefined) {
    if (lane === 'experimental_private') return
    throw new Failure('INVALID_REQUEST', 'draft_hash is required: say which draft you looked at.', {
      details: { field: 'draft_hash' },
    })
  }
  if (draft_hash === proposal.draft_hash) return
  throw new Failure('DRAFT_CHANGED', 'The draft is no longer the one you looked at.', {
    details: { draft_hash: proposal.draft_hash },
  })
}
