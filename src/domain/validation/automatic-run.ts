import { Failure } from '../../failure/failure.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { findProposalSession, moveProposal } from '../proposals/moves.ts'
import { recordReceipt } from '../command/ledger.ts'
import { findLintReport } from '../proposals/lint-proposal.ts'
import { minedCluster } from '../proposals/mined-cluster.ts'
import { wantsInstall } from './finish-run.ts'
import { startValidation } from './start-run.ts'

/**
 * A first draft for somebody who wants it installed without being asked is tested at once, if it can be; so is one of
 * a workflow that was found in past runs, for which nobody would ask. Where no tests are wanted of those, a draft
 * without faults goes to review as it is.
 */
export function testAutomatically(given: CommandContext, proposal: StoredProposal): void {
  const session = findProposalSession(given.tx, proposal)
  const mined = session && minedCluster(given.tx, session)
  const installs = wantsInstall(given, proposal)
  if (!installs && mined === undefined) return
  const ctx = asSystem(given, proposal.owner_user_id)
  if (!installs && mined?.require_tests === false) {
    const fit = findLintReport(ctx.tx, proposal.proposal_id)?.passed === true
    if (fit) moveProposal(ctx, proposal, 'ready_for_review')
    return
  }
  try {
    startValidation(ctx, proposal, { selected_tests: [] })
  } catch (error) {
    // Nothing was written yet: the draft waits until somebody asks for its tests.
    if (!(error instanceof Failure)) throw error
    const { proposal_id, learn_session_id } = proposal
    recordReceipt(ctx, 'learn.validation.started', {
      status: 'blocked',
      proposal_id,
      ...(learn_session_id === undefined ? {} : { learn_session_id }),
      summary: 'The draft could not be tested by itself.',
      reason: `${error.code}: ${error.message}`.slice(0, 240),
    })
  }
}
