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
  act: CommandContext,
  capabilityId: string,
  reason: string,
): { health: CapabilityHealth; receipt_id: string } {
  const { ability_id } = getAbilityBehind(act.tx, capabilityId, act.actor.user_id)
  const health = healthOf(act.tx, capabilityId)
  if (health.health_status !== 'quarantined') {
    throw new Failure('CAPABILITY_NOT_QUARANTINED', `${capabilityId} is ${health.health_status}.`)
  }
  const cleared = released(act, health)
  saveHealth(act, cleared)
  rebuildBridge(act)
  refreshAvailability(act, 'capability.health.changed', { ability_ids: [ability_id] })
  const receipt_id = recordReceipt(act, 'capability.quarantine.cleared', {
    ability_id,
    summary: `${capabilityId} was let out of quarantine.`,
    details: { reason, capability_id: capabilityId },
  })
  return { health: publicHealth(cleared, true), receipt_id }
}

/** An ability that is taken out of use takes its capability along. The bridge is the caller's to rebuild. */
export function quarantineWithAbility(act: CommandContext, capabilityId: string): void {
  const health = healthOf(act.tx, capabilityId)
  if (health.health_status === 'quarantined') return
  saveHealth(act, {
    ...health,
    health_status: 'quarantined',
    session_availability: 'unsupported',
    reason_codes: [abilityQuarantined],
    canary_successes: 0,
  })
}

/** One that was quarantined for failing stays so when its ability comes back. */
export function releaseWithAbility(act: CommandContext, capabilityId: string): void {
  const health = healthOf(act.tx, capabilityId)
  if (!health.reason_codes.includes(abilityQuarantined)) return
  saveHealth(act, released(act, health))
}

const released = (act: CommandContext, health: HealthRow): HealthRow => ({
  ...countAnew(act, health),
  health_status: 'degraded',
  session_availability: 'degraded',
  reason_codes: ['quarantine_cleared_manually'],
})
