import { findProposal } from '../../store/proposals/proposals.ts'
import { listOpenRuns, type StoredRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { dropExecution } from '../devices/executions.ts'
import { readDraft } from './draft-under-test.ts'
import { abandonRun } from './finish-run.ts'
import { forgetRehearsed } from './rehearse.ts'

/** Runs a daemon left behind are over: nothing of them is taken up again, on the phone neither. */
export function closeLeftRuns(act: CommandContext): number {
  const left = listOpenRuns(act.tx)
  for (const run of left) {
    leavePhone(act, run)
    abandonRun(act, run.validation_run_id, 'daemon_restarted')
  }
  return left.length
}

function leavePhone(act: CommandContext, { execution_id, proposal_id, inputs }: StoredRun): void {
  if (execution_id === undefined) return
  dropExecution(act, execution_id)
  const proposal = findProposal(act.tx, proposal_id)
  const recipe = proposal && readDraft(act.tx, proposal, inputs).recipe
  if (recipe !== undefined && 'texts' in recipe) forgetRehearsed(act, execution_id, recipe)
}
