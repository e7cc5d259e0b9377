import { findProposal } from '../../store/proposals/proposals.ts'
import { listOpenRuns, type StoredRun } from '../../store/validation/validation-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { cancelQueuedExecution } from '../devices/executions.ts'
import { readDraft } from './draft-under-test.ts'
import { cancelOpenRun } from './finish-run.ts'
import { listRunExecutions } from '../proposals/validation-run-record.ts'
import { maskRehearsal, releaseRehearsal } from './rehearsal-record.ts'

/** Cancels the runs that were open when the daemon stopped, and their executions on devices. */
export function cancelInterruptedRuns(ctx: CommandContext): number {
  const runs = listOpenRuns(ctx.tx)
  for (const run of runs) {
    dropRehearsal(ctx, run)
    cancelOpenRun(ctx, run.validation_run_id, 'daemon_restarted')
  }
  return runs.length
}

function dropRehearsal(ctx: CommandContext, run: StoredRun): void {
  const executions = listRunExecutions(run)
  if (executions.length === 0) return
  for (const id of executions) cancelQueuedExecution(ctx, id)
  releaseRehearsal(ctx, run)
  const proposal = findProposal(ctx.tx, run.proposal_id)
  if (proposal === undefined) return
  for (const inputs of [run.inputs, { ...run.inputs, ...run.cleanup_inputs }]) {
    const { recipe } = readDraft(ctx.tx, proposal, inputs)
    if (recipe === undefined || !('texts' in recipe)) return
    for (const id of executions) maskRehearsal(ctx, id, recipe)
  }
}
