import type { RunFailure } from '@apprentice/contracts/abilities/runs.ts'
import { findNextCheckpoint } from '../../knowledge/verification/run-outcome.ts'
import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import { listItemParts, type RunPartRow } from '../../store/runs/run-parts.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordCheckpoint } from '../sessions/checkpoints.ts'
import { listEndedParts, readResults } from './run-outcome.ts'

/** Records that a run reached or missed a checkpoint of the ability that a part belongs to. */
export function reportCheckpoint(
  ctx: CommandContext,
  { run, part }: { readonly run: AbilityRunRow; readonly part: RunPartRow },
  { checkpoint_id, status, reason }: { checkpoint_id: string; status: 'reached' | 'failed'; reason?: string },
): void {
  const { dispatch_id, run_id, owner_user_id } = run
  recordCheckpoint(asSystem(ctx, owner_user_id), {
    checkpoint_id,
    status,
    evidence: `Run ${run_id} on ${run.serial}, read by the runtime.`,
    ...(reason === undefined ? {} : { reason: reason.slice(0, 500) }),
    dispatch_id: dispatch_id ?? run_id,
    ability_id: part.ability_id,
    schema_version: 1,
  })
}

/** Reports the checkpoint that the failed step was to reach. */
export function reportFailedCheckpoint(
  ctx: CommandContext,
  run: AbilityRunRow,
  { item, trouble }: { readonly item: number; readonly trouble: RunFailure },
): void {
  const parts = listItemParts(ctx.tx, run.run_id, item)
  const last = listEndedParts(ctx.tx, parts).at(-1)
  if (last === undefined) return
  const { part, execution } = last
  const failed = readResults(execution).find(({ success, outcome }) => !success && outcome !== 'skipped')
  const plan = parts.filter(({ call }) => call === part.call).flatMap((one) => one.plan)
  const checkpoint_id = failed && findNextCheckpoint(plan, failed.id)
  if (checkpoint_id === undefined) return
  const reason = `${trouble.code}: ${trouble.message}`
  reportCheckpoint(ctx, { run, part }, { checkpoint_id, status: 'failed', reason })
}
