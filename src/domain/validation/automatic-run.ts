import { Failure } from '../../failure/failure.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { findProposalSession, moveProposal } from '../proposals/moves.ts'
import { recordReceipt } from '../command/ledger.ts'
import { findLintReport } from '../proposals/lint-proposal.ts'
import { findMinedCluster } from '../proposals/mined-cluster.ts'
import { installsAutomatically } from './finish-run.ts'
import { startValidation } from './start-run.ts'

/**
 * Tests a first draft at once if its session installs automatically or if it was mined. A mined draft that requires no
 * tests goes to review directly if it passes the linter.
 */
export function testAutomatically(caller: CommandContext, proposal: StoredProposal): void {
  const session = findProposalSession(caller.tx, proposal)
  const mined = session && findMinedCluster(caller.tx, session)
  const installs = installsAutomatically(caller, proposal)
  if (!installs && mined === undefined) return
  const ctx = asSystem(caller, proposal.owner_user_id)
  if (!installs && mined?.require_tests === false) {
    const passed = findLintReport(ctx.tx, proposal.proposal_id)?.passed === true
    if (passed) moveProposal(ctx, proposal, 'ready_for_review')
    return
  }
  try {
    startValidation(ctx, proposal, { selected_tests: [] })
  } catch (error) {
    // Nothing was written yet. The draft stays untested until tests are requested.
    if (!(error instanceof Failure)) throw error
    const { proposal_id, learn_session_id } = proposal
    recordReceipt(ctx, 'learn.validation.started', {
      status: 'blocked',
      proposal_id,
      ...(learn_session_id === undefined ? {} : { learn_session_id }),
      summary: 'The draft could not be tested automatically.',
      reason: `${error.code}: ${error.message}`.slice(0, 240),
    })
  }
}
