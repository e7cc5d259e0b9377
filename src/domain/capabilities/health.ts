import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import {
  type FailureRow,
  findHealth,
  type HealthRow,
  lastFailurePosition,
  listCapabilityFailures,
  upsertHealth,
} from '../../store/capabilities/capabilities.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'

const windowMs = 7 * 24 * 3_600_000
const alikeForDegraded = 3
const anyForQuarantine = 5
/** The reason a capability has while its ability is taken out of use. */
export const abilityQuarantined = 'ability_quarantined'

/** How a capability fares that was never tried. */
export const untried = (capability_id: string): HealthRow => ({
  capability_id,
  health_status: 'unknown',
  session_availability: 'unknown',
  reason_codes: [],
  canary_successes: 0,
  counted_after: 0,
})

export const healthOf = (reader: Reader, capabilityId: string): HealthRow =>
  findHealth(reader, capabilityId) ?? untried(capabilityId)

export function publicHealth(
  { canary_successes: _c, counted_after: _a, ...row }: HealthRow,
  installed: boolean,
): CapabilityHealth {
  return { ...row, installed_state: installed ? 'present' : 'missing', schema_version: 1 }
}

/** What the failures that count make of a capability. */
export function worstOf(
  failures: readonly Pick<FailureRow, 'fingerprint' | 'critical'>[],
): 'quarantined' | 'degraded' | undefined {
  if (failures.some(({ critical }) => critical)) return 'quarantined'
  if (failures.length >= anyForQuarantine) return 'quarantined'
  const alike = new Map<string, number>()
  for (const { fingerprint } of failures) {
    alike.set(fingerprint, (alike.get(fingerprint) ?? 0) + 1)
  }
  return Math.max(0, ...alike.values()) >= alikeForDegraded ? 'degraded' : undefined
}

/** Those of the last seven days, and none from before it was given another chance. */
export function countedFailures(
  ctx: CommandContext,
  { capability_id, counted_after: after }: HealthRow,
) {
  const since = new Date(Date.parse(ctx.now) - windowMs).toISOString()
  return listCapabilityFailures(ctx.tx, { capability_id, after, since })
}

/** From here on the failures there were no longer count; they stay on record. */
export const countAnew = (ctx: CommandContext, health: HealthRow): HealthRow => ({
  ...health,
  canary_successes: 0,
  counted_after: lastFailurePosition(ctx.tx, health.capability_id),
})

/** Writes how a capability fares and marks a change; true when its status is another. */
export function saveHealth(ctx: CommandContext, health: HealthRow): boolean {
  const before = findHealth(ctx.tx, health.capability_id)
  upsertHealth(ctx.tx, health)
  return tellHealth(ctx, before, health)
}

/** True when there was something to tell. */
export function tellHealth(
  ctx: CommandContext,
  before: HealthRow | undefined,
  health: HealthRow,
): boolean {
  const { capability_id, health_status: to, reason_codes } = health
  const from = before?.health_status ?? 'unknown'
  if (from === to) return false
  const subject = `capability/${capability_id}`
  recordEvent(ctx, subject, 'capability.health.changed', { capability_id, from, to })
  if (to === 'quarantined') {
    recordEvent(ctx, subject, 'capability.quarantined', { capability_id, reason_codes })
  }
  return true
}
