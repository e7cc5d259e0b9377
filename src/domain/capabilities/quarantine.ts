import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import type { HealthRow } from '../../store/capabilities/capabilities.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { rebuildBridge } from './bridge.ts'
import { ABILITY_QUARANTINED, resetFailureCount, readHealth, toPublicHealth, saveHealth } from './health.ts'
import { getAbilityOfCapability } from './ability-of-capability.ts'

/** Releases a capability from quarantine. It is degraded until its canaries succeed. */
export function clearQuarantine(
  ctx: CommandContext,
  capabilityId: string,
  reason: string,
): { health: CapabilityHealth; receipt_id: string } {
  const { ability_id } = getAbilityOfCapability(ctx.tx, capabilityId, ctx.actor.user_id)
  const health = readHealth(ctx.tx, capabilityId)
  if (health.health_status !== 'quarantined') {
    throw new Failure('CAPABILITY_NOT_QUARANTINED', `${capabilityId} is not quarantined but ${health.health_status}.`)
  }
  const cleared = toReleased(ctx, health)
  saveHealth(ctx, cleared)
  rebuildBridge(ctx)
  refreshAvailability(ctx, 'capability.health.changed', { ability_ids: [ability_id] })
  const receipt_id = recordReceipt(ctx, 'capability.quarantine.cleared', {
    ability_id,
    summary: `${capabilityId} was released from quarantine.`,
    details: { reason, capability_id: capabilityId },
  })
  return { health: toPublicHealth(cleared, true), receipt_id }
}

/** Quarantines the capability of a quarantined ability. The caller rebuilds the bridge. */
export function quarantineWithAbility(ctx: CommandContext, capabilityId: string): void {
  const health = readHealth(ctx.tx, capabilityId)
  if (health.health_status === 'quarantined') return
  saveHealth(ctx, {
    ...health,
    health_status: 'quarantined',
    session_availability: 'unsupported',
    reason_codes: [ABILITY_QUARANTINED],
    canary_successes: 0,
  })
}

/** Releases the capability, unless it was quarantined because of failures. */
export function releaseWithAbility(ctx: CommandContext, capabilityId: string): void {
  const health = readHealth(ctx.tx, capabilityId)
  if (!health.reason_codes.includes(ABILITY_QUARANTINED)) return
  saveHealth(ctx, toReleased(ctx, health))
}

const toReleased = (ctx: CommandContext, health: HealthRow): HealthRow => ({
  ...resetFailureCount(ctx, health),
  health_status: 'degraded',
  session_availability: 'degraded',
  reason_codes: ['quarantine_cleared_manually'],
})
