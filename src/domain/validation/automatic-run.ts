import { Failure } from '../../failure.ts'
import type { StoredProposal } from '../../store/proposals.ts'
import { type Act, asSystem } from '../act.ts'
import { recordReceipt } from '../ledger.ts'
import { wantsInstall } from './finish-run.ts'
import { startValidation } from './start-run.ts'

/** A first draft for somebody who wants it installed without being asked is tested at once, if it can be. */
export function testAutomatically(given: Act, proposal: StoredProposal): void {
  if (!wantsInstall(given, proposal)) return
  const act = asSystem(given, proposal.owner_user_id)
  try {
    startValidation(act, proposal, { selected_tests: [] })
  } catch (error) {
    // Nothing was written yet: the draft waits until somebody asks for its tests.
    if (!(error instanceof Failure)) throw error
    const { proposal_id, learn_session_id } = proposal
    recordReceipt(act, 'learn.validation.started', {
      status: 'blocked',
      proposal_id,
      ...(learn_session_id === undefined ? {} : { learn_session_id }),
      summary: 'The draft could not be tested by itself.',
      reason: `${error.code}: ${error.message}`.slice(0, 240),
    })
  }
}
