import type { DeviceLease } from '@apprentice/contracts/devices/device.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { deleteLease, findLease, upsertLease } from '../../store/devices/devices.ts'
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
  assertNotLeased(ctx.tx, serial, { user_id: ctx.actor.user_id, now: ctx.now })
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

/** Throws when another user holds a lease on the device. */
export function assertNotLeased(
  reader: Reader,
  serial: string,
  caller: { readonly user_id: string; readonly now: string },
): void {
  const held = findLease(reader, serial, caller.now)
  if (held === undefined || held.owner_user_id === caller.user_id) return
  throw new Failure('DEVICE_LEASED', `${serial} is in use until ${held.expires_at}.`, {
    details: { expires_at: held.expires_at },
  })
}
