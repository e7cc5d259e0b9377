import { findProposal } from '../../store/proposals/proposals.ts'
import { listOpenRuns, type StoredRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { dropExecution } from '../devices/executions.ts'
import { readDraft } from './draft-under-test.ts'
import { abandonRun } from './finish-run.ts'
import { forgetRehearsed } from './rehearse.ts'

/** Runs a daemon left behind are over: nothing of them is taken up again, on the phone neither. */
export function closeLeftRuns(ctx: CommandContext): number {
  const left = listOpenRuns(ctx.tx)
  for (const run of left) {
    leavePhone(ctx, run)
    abandonRun(ctx, run.validation_run_id, 'daemon_restarted')
  }
  return left.length
}

function leavePhone(ctx: CommandContext, { execution_id, proposal_id, inputs }: StoredRun): void {
  if (execution_id === undefined) return
  dropExecution(ctx, execution_id)
  const proposal = findProposal(ctx.tx, proposal_id)
  const recipe = proposal && readDraft(ctx.tx, proposal, inputs).recipe
  if (recipe !== undefined && 'texts' in recipe) forgetRehearsed(ctx, execution_id, recipe)
}
