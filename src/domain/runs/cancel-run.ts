import { Failure } from '../../failure/failure.ts'
import { type AbilityRunRow, updateAbilityRun } from '../../store/runs/ability-runs.ts'
import { findLatestPart } from '../../store/runs/run-parts.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { getOwnRun, isSettled } from './run-view.ts'

/** Marks a run as cancelled, so that no further execution of it is queued. The caller cancels the current one. */
export function requestCancel(ctx: CommandContext, runId: string): AbilityRunRow {
  const run = getOwnRun(ctx.tx, runId, ctx.actor.user_id)
  if (isSettled(run)) throw new Failure('EXECUTION_SETTLED', 'The run has already ended.')
  const requested = { ...run, cancel_requested_at: run.cancel_requested_at ?? ctx.now }
  updateAbilityRun(ctx.tx, requested)
  return requested
}

/** The execution of a run that is queued, is running or ended last. */
export const findCurrentExecution = (reader: Reader, { run_id, execution_id }: AbilityRunRow): string =>
  findLatestPart(reader, run_id)?.execution_id ?? execution_id
