import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import type { HealthRow } from '../../store/capabilities/capabilities.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { rebuildBridge } from './bridge.ts'
import { abilityQuarantined, countAnew, healthOf, publicHealth, saveHealth } from './health.ts'
import { getAbilityBehind } from './known-capability.ts'

/** Lets a capability be tried again. It is not well because somebody says so: it still needs its canaries. */
export function clearQuarantine(
  ctx: CommandContext,
  capabilityId: string,
  reason: string,
): { health: CapabilityHealth; receipt_id: string } {
  const { ability_id } = getAbilityBehind(ctx.tx, capabilityId, ctx.actor.user_id)
  const health = healthOf(ctx.tx, capabilityId)
  if (health.health_status !== 'quarantined') {
    throw new Failure('CAPABILITY_NOT_QUARANTINED', `${capabilityId} is ${health.health_status}.`)
  }
  const cleared = released(ctx, health)
  saveHealth(ctx, cleared)
  rebuildBridge(ctx)
  refreshAvailability(ctx, 'capability.health.changed', { ability_ids: [ability_id] })
  const receipt_id = recordReceipt(ctx, 'capability.quarantine.cleared', {
    ability_id,
    summary: `${capabilityId} was let out of quarantine.`,
    details: { reason, capability_id: capabilityId },
  })
  return { health: publicHealth(cleared, true), receipt_id }
}

/** An ability that is taken out of use takes its capability along. The bridge is the caller's to rebuild. */
export function quarantineWithAbility(ctx: CommandContext, capabilityId: string): void {
  const health = healthOf(ctx.tx, capabilityId)
  if (health.health_status === 'quarantined') return
  saveHealth(ctx, {
    ...health,
    health_status: 'quarantined',
    session_availability: 'unsupported',
    reason_codes: [abilityQuarantined],
    canary_successes: 0,
  })
}

/** One that was quarantined for failing stays so when its ability comes back. */
export function releaseWithAbility(ctx: CommandContext, capabilityId: string): void {
  const health = healthOf(ctx.tx, capabilityId)
  if (!health.reason_codes.includes(abilityQuarantined)) return
  saveHealth(ctx, released(ctx, health))
}

const released = (ctx: CommandContext, health: HealthRow): HealthRow => ({
  ...countAnew(ctx, health),
  health_status: 'degraded',
  session_availability: 'degraded',
  reason_codes: ['quarantine_cleared_manually'],
})
