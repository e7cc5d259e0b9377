import type { DeviceLease } from '@apprentice/contracts/devices/device.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { deleteLease, findLease, listCapturingUsers, upsertLease } from '../../store/devices/devices.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { getDevice } from './device-record.ts'

/** Leases a device to the caller, or renews the caller's lease. */
export function leaseDevice(
  ctx: CommandContext,
  serial: string,
  { purpose, duration_ms }: { purpose?: string | undefined; duration_ms: number },
): DeviceLease {
  getDevice(ctx, serial)
  const held = findLease(ctx.tx, serial, ctx.now)
  assertDeviceAvailable(ctx.tx, serial, { user_id: ctx.actor.user_id, now: ctx.now })
  const lease: DeviceLease = {
    serial,
    lease_id: held?.lease_id ?? ctx.newId(),
    owner_user_id: ctx.actor.user_id,
    purpose: purpose ?? held?.purpose,
    created_at: held?.created_at ?? ctx.now,
    expires_at: new Date(Date.parse(ctx.now) + duration_ms).toISOString(),
    schema_version: 1,
  }
  upsertLease(ctx.tx, lease)
  recordEvent(ctx, `device/${serial}`, 'device.leased', { expires_at: lease.expires_at })
  return lease
}

export function releaseDevice(ctx: CommandContext, serial: string, leaseId?: string): void {
  getDevice(ctx, serial)
  const held = findLease(ctx.tx, serial, ctx.now)
  const own = held?.owner_user_id === ctx.actor.user_id
  if (held === undefined || !own || (leaseId !== undefined && held.lease_id !== leaseId)) {
    throw new Failure('LEASE_NOT_FOUND', `You hold no such lease on ${serial}.`)
  }
  deleteLease(ctx.tx, held.lease_id)
  recordEvent(ctx, `device/${serial}`, 'device.released')
}

/** The time after the end of a run in which its last execution may still report. */
const LEASE_SLACK_MS = 5000

/**
 * Leases the device to the owner of several executions until they must have ended. Returns the id of the lease if the
 * caller must release it: a lease that the owner holds already is extended and stays. A lease of another user makes the
 * execution fail before it starts.
 */
export function holdDevice(
  ctx: CommandContext,
  serial: string,
  { purpose, until }: { readonly purpose: string; readonly until: string },
): string | undefined {
  const duration_ms = Date.parse(until) - Date.parse(ctx.now) + LEASE_SLACK_MS
  const held = findLease(ctx.tx, serial, ctx.now)
  if (held === undefined) return leaseDevice(ctx, serial, { purpose, duration_ms }).lease_id
  const remainingMs = Date.parse(held.expires_at) - Date.parse(ctx.now)
  if (held.owner_user_id === ctx.actor.user_id && remainingMs < duration_ms) leaseDevice(ctx, serial, { duration_ms })
  return undefined
}

/** Ends a lease that `holdDevice` took. */
export function releaseHold(ctx: CommandContext, serial: string, leaseId: string): void {
  deleteLease(ctx.tx, leaseId)
  recordEvent(ctx, `device/${serial}`, 'device.released')
}

/** Throws when the device is kept for another user: by a lease, or by a capture of what that user does on it. */
export function assertDeviceAvailable(
  reader: Reader,
  serial: string,
  caller: { readonly user_id: string; readonly now: string },
): void {
  const refusal = findRefusal(reader, serial, caller)
  if (refusal !== undefined) throw refusal
}

export function findRefusal(
  reader: Reader,
  serial: string,
  { user_id, now }: { readonly user_id: string; readonly now: string },
): Failure | undefined {
  const held = findLease(reader, serial, now)
  if (held !== undefined && held.owner_user_id !== user_id) {
    return new Failure('DEVICE_LEASED', `${serial} is in use until ${held.expires_at}.`, {
      details: { expires_at: held.expires_at },
    })
  }
  if (listCapturingUsers(reader, serial).every((user) => user === user_id)) return undefined
  return new Failure('DEVICE_LEASED', `${serial} is in use: another user is demonstrating on it.`)
}

/** The users for whom the device is kept. Each of them is refused if there is another. */
export function listHolders(reader: Reader, serial: string, now: string): string[] {
  const leased = findLease(reader, serial, now)?.owner_user_id
  const holders = new Set(listCapturingUsers(reader, serial))
  if (leased !== undefined) holders.add(leased)
  return [...holders].toSorted()
}
