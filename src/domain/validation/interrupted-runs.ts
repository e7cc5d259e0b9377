import { findProposal } from '../../store/proposals/proposals.ts'
import { listOpenRuns, type StoredRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { cancelQueuedExecution } from '../devices/executions.ts'
import { readDraft } from './draft-under-test.ts'
import { cancelOpenRun } from './finish-run.ts'
import { maskRehearsal } from './rehearsal-record.ts'

/** Cancels the runs that were open when the daemon stopped, and their executions on devices. */
export function cancelInterruptedRuns(ctx: CommandContext): number {
  const runs = listOpenRuns(ctx.tx)
  for (const run of runs) {
    dropRehearsal(ctx, run)
    cancelOpenRun(ctx, run.validation_run_id, 'daemon_restarted')
  }
  return runs.length
}

function dropRehearsal(ctx: CommandContext, { execution_id, proposal_id, inputs }: StoredRun): void {
  if (execution_id === undefined) return
  cancelQueuedExecution(ctx, execution_id)
  const proposal = findProposal(ctx.tx, proposal_id)
  const recipe = proposal && readDraft(ctx.tx, proposal, inputs).recipe
  if (recipe !== undefined && 'texts' in recipe) maskRehearsal(ctx, execution_id, recipe)
}
