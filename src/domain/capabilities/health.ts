import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import {
  type FailureRow,
  findAbilityIdByCapability,
  findHealth,
  type HealthRow,
  getLastFailurePosition,
  listCapabilityFailures,
  upsertHealth,
} from '../../store/capabilities/capabilities.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import type { Reader } from '../../store/db/db.ts'
import { isShared } from '../abilities/lanes.ts'
import type { CommandContext } from '../command/context.ts'
import { recordCapabilityEvent } from './capability-events.ts'

const FAILURE_WINDOW_MS = 7 * 24 * 3_600_000
const ALIKE_FAILURES_TO_DEGRADE = 3
const FAILURES_TO_QUARANTINE = 5
/** The reason code of a capability whose ability is quarantined. */
export const ABILITY_QUARANTINED = 'ability_quarantined'

/** The health of a capability that was never used or probed. */
export const newHealth = (capability_id: string): HealthRow => ({
  capability_id,
  health_status: 'unknown',
  session_availability: 'unknown',
  reason_codes: [],
  canary_successes: 0,
  counted_after: 0,
})

export const readHealth = (reader: Reader, capabilityId: string): HealthRow =>
  findHealth(reader, capabilityId) ?? newHealth(capabilityId)

export function toPublicHealth(
  { canary_successes: _c, counted_after: _a, ...row }: HealthRow,
  installed: boolean,
): CapabilityHealth {
  return { ...row, installed_state: installed ? 'present' : 'missing', schema_version: 1 }
}

/** The health status that these failures lead to. Undefined if they change nothing. */
export function judgeFailures(
  failures: readonly Pick<FailureRow, 'fingerprint' | 'critical'>[],
): 'quarantined' | 'degraded' | undefined {
  if (failures.some(({ critical }) => critical)) return 'quarantined'
  if (failures.length >= FAILURES_TO_QUARANTINE) return 'quarantined'
  const alike = new Map<string, number>()
  for (const { fingerprint } of failures) {
    alike.set(fingerprint, (alike.get(fingerprint) ?? 0) + 1)
  }
  return Math.max(0, ...alike.values()) >= ALIKE_FAILURES_TO_DEGRADE ? 'degraded' : undefined
}

/**
 * Failures of the last seven days since the count was last reset. Of a shared ability only some failures of each user
 * count, so that nobody can take it from the others alone.
 */
export function listCountedFailures(ctx: CommandContext, { capability_id, counted_after: after }: HealthRow) {
  const since = new Date(Date.parse(ctx.now) - FAILURE_WINDOW_MS).toISOString()
  const failures = listCapabilityFailures(ctx.tx, { capability_id, after, since })
  const abilityId = findAbilityIdByCapability(ctx.tx, capability_id)
  const ability = abilityId === undefined ? undefined : findAbility(ctx.tx, abilityId)
  return ability !== undefined && isShared(ability) ? limitPerUser(failures) : failures
}

const MAX_FAILURES_PER_USER = 2

function limitPerUser(failures: readonly FailureRow[]): FailureRow[] {
  const counts = new Map<string, number>()
  return failures.filter(({ user_id = '', critical }) => {
    const count = (counts.get(user_id) ?? 0) + 1
    counts.set(user_id, count)
    return critical || count <= MAX_FAILURES_PER_USER
  })
}

/** Existing failures no longer count. They are not deleted. */
export const resetFailureCount = (ctx: CommandContext, health: HealthRow): HealthRow => ({
  ...health,
  canary_successes: 0,
  counted_after: getLastFailurePosition(ctx.tx, health.capability_id),
})

/** Stores the health and records a change of status. Returns true if the status changed. */
export function saveHealth(ctx: CommandContext, health: HealthRow): boolean {
  const before = findHealth(ctx.tx, health.capability_id)
  upsertHealth(ctx.tx, health)
  return recordHealthChange(ctx, before, health)
}

/** Returns true if the status changed. */
export function recordHealthChange(ctx: CommandContext, before: HealthRow | undefined, health: HealthRow): boolean {
  const { capability_id, health_status: to, reason_codes } = health
  const from = before?.health_status ?? 'unknown'
  if (from === to) return false
  recordCapabilityEvent(ctx, 'capability.health.changed', { capability_id, from, to })
  if (to === 'quarantined') recordCapabilityEvent(ctx, 'capability.quarantined', { capability_id, reason_codes })
  return true
}
