import { deleteLease, findLease } from '../../store/devices/devices.ts'
import type { AbilityRunRow } from '../../store/runs/ability-runs.ts'
import { asSystem, type CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { leaseDevice } from '../devices/leases.ts'

/** The time after the end of a run in which its last execution may still report. */
const LEASE_SLACK_MS = 5000

/**
 * Leases the device to the owner of a run with several executions until the run must have ended. Returns the id of the
 * lease if the run must release it: a lease that the owner holds already is extended and stays. A lease of another user
 * makes the execution fail before it starts.
 */
export function leaseForRun(ctx: CommandContext, run: AbilityRunRow): string | undefined {
  const { serial, run_id, owner_user_id, deadline_at = ctx.now } = run
  const owner = asSystem(ctx, owner_user_id)
  const duration_ms = Date.parse(deadline_at) - Date.parse(ctx.now) + LEASE_SLACK_MS
  const held = findLease(ctx.tx, serial, ctx.now)
  if (held === undefined) return leaseDevice(owner, serial, { purpose: `run ${run_id}`, duration_ms }).lease_id
  const remainingMs = Date.parse(held.expires_at) - Date.parse(ctx.now)
  if (held.owner_user_id === owner_user_id && remainingMs < duration_ms) leaseDevice(owner, serial, { duration_ms })
  return undefined
}

/** Ends the lease that the run took. */
export function releaseRunLease(ctx: CommandContext, { lease_id, serial, owner_user_id }: AbilityRunRow): void {
  if (lease_id === undefined) return
  deleteLease(ctx.tx, lease_id)
  recordEvent(asSystem(ctx, owner_user_id), `device/${serial}`, 'device.released')
}
