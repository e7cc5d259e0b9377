import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { holdDevice, releaseHold } from '../devices/leases.ts'

/** Leases the device to the owner of a run with several executions. Returns the lease that the run must release. */
export function leaseForRun(ctx: CommandContext, run: AbilityRunRow): string | undefined {
  const { serial, run_id, owner_user_id, deadline_at = ctx.now } = run
  return holdDevice(asSystem(ctx, owner_user_id), serial, { purpose: `run ${run_id}`, until: deadline_at })
}

/** Ends the lease that the run took. */
export function releaseRunLease(ctx: CommandContext, { lease_id, serial, owner_user_id }: AbilityRunRow): void {
  if (lease_id !== undefined) releaseHold(asSystem(ctx, owner_user_id), serial, lease_id)
}
