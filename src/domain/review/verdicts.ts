import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import type { CheckpointLintReport } from '@apprentice/contracts/learn/validation.ts'
import type { InstallLane } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { z } from 'zod'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { assertLintPassed, lintProposal } from '../proposals/lint-proposal.ts'
import { findImportByProposal } from '../../store/skill-import/skill-imports.ts'
import { recordProposalRejected } from '../skill-import/record/install-outcomes.ts'
import { readDraft } from '../validation/draft-under-test.ts'
import { listCompileProblems } from '../validation/plan-tests.ts'
import { assertNoActiveRun } from '../validation/start-run.ts'
import { clip } from '../../knowledge/text/plain-text.ts'
import { assertDependencies } from '../proposals/dependencies.ts'
import { getOwnProposal, moveProposal, SESSION_STATES } from '../proposals/moves.ts'
import { readDraftRepair } from '../proposals/content/run-repair.ts'
import { listDraftFiles } from '../../store/proposals/draft-files.ts'
import { listRuns } from '../../store/validation/validation-runs.ts'

export function rejectProposal(ctx: CommandContext, proposalId: string, reason: string): StoredProposal {
  const proposal = getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id)
  assertNoActiveRun(ctx.tx, proposal)
  const moved = moveProposal(ctx, proposal, 'rejected', { reason: clip(reason, 240) })
  const { proposal_id, learn_session_id } = proposal
  recordReceipt(ctx, 'learn.proposal.rejected', {
    proposal_id,
    ...(learn_session_id === undefined ? {} : { learn_session_id }),
    from_state: SESSION_STATES[proposal.proposal_state],
    to_state: 'rejected',
    summary: 'Proposal rejected.',
    reason: clip(reason, 240),
    details: { reason },
  })
  recordProposalRejected(ctx, proposal, reason)
  return moved.proposal
}

export interface InstallCheck {
  /** The hash of the draft that was reviewed. */
  readonly draft_hash?: string | undefined
  readonly lane: z.infer<typeof InstallLane>
  /** The states from which the proposal may be installed. */
  readonly from?: readonly ProposalState[]
}

/**
 * Throws if the proposal is being tested, is in another state, has another draft than the reviewed one, fails the
 * linter, does not compile or lacks a required dependency. Stores the lint report.
 */
export function assertInstallable(
  ctx: CommandContext,
  proposal: StoredProposal,
  { draft_hash, lane, from = ['ready_for_review'] }: InstallCheck,
): CheckpointLintReport {
  assertNoActiveRun(ctx.tx, proposal)
  const { proposal_state: state, proposal_id } = proposal
  if (!from.includes(state)) {
    throw new Failure('INVALID_LEARN_STATE_TRANSITION', `The proposal is ${state}; this needs ${from.join(' or ')}.`, {
      details: { state, allowed: from },
    })
  }
  assertSameDraft(proposal, { draft_hash, lane })
  const report = lintProposal(ctx, proposal)
  // An imported skill may be installed with errors for its owner, who sees that it is not usable.
  const isImported = findImportByProposal(ctx.tx, proposal_id) !== undefined
  if (!isImported || lane !== 'experimental_private') assertLintPassed(report)
  assertCompiles(ctx, proposal)
  assertDependencies(ctx.tx, proposal_id)
  assertRepairVerified(ctx, proposal)
  return report
}

/** A called ability that is missing now does not prevent the installation: the new ability says so. */
function assertCompiles({ tx }: CommandContext, proposal: StoredProposal): void {
  const violations = listCompileProblems(readDraft(tx, proposal)).filter(({ code }) => code !== 'ABILITY_UNUSABLE')
  const [first] = violations
  if (first === undefined) return
  throw new Failure('RECIPE_INVALID', `The recipe of the draft does not compile: ${first.message}`.slice(0, 500), {
    details: { violations: violations.slice(0, 20) },
  })
}

/** An anchor is saved only if a device verified it: in the run that used it, or in a rehearsal of this draft. */
function assertRepairVerified(
  { tx }: CommandContext,
  { proposal_id, proposal_state, draft_hash }: StoredProposal,
): void {
  const repair = readDraftRepair(listDraftFiles(tx, proposal_id))
  if (repair === undefined || repair.verified) return
  const { runs } = listRuns(tx, proposal_id, { page: 1, page_size: 100 })
  const isRehearsed = runs.some(
    (run) => run.run_kind === 'rehearsal' && run.overall_result === 'passed' && run.draft_hash === draft_hash,
  )
  if (isRehearsed) return
  throw new Failure(
    'INVALID_LEARN_STATE_TRANSITION',
    'No device has verified the new anchors of this repair; a rehearsal of the draft must pass first.',
    { details: { state: proposal_state, needs: 'rehearsal', step_ids: repair.step_ids } },
  )
}

/** Only a private installation may omit `draft_hash`. */
function assertSameDraft(
  proposal: StoredProposal,
  { draft_hash, lane }: Pick<InstallCheck, 'draft_hash' | 'lane'>,
): void {
  if (draft_hash === undefined) {
    if (lane === 'experimental_private') return
    throw new Failure('INVALID_REQUEST', 'draft_hash is required: send the hash of the draft you reviewed.', {
      details: { field: 'draft_hash' },
    })
  }
  if (draft_hash === proposal.draft_hash) return
  throw new Failure('DRAFT_CHANGED', 'The draft has changed since it was reviewed; review it again.', {
    details: { draft_hash: proposal.draft_hash },
  })
}
