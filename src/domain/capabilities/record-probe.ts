import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import type { HealthRow } from '../../store/capabilities/capabilities.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { rebuildBridge } from './bridge.ts'
import { countAnew, healthOf, publicHealth, saveHealth } from './health.ts'
import { getAbilityBehind } from './known-capability.ts'
import { type Probe, tellProbe } from './probe.ts'

const canariesForHealth = 5

interface Probed {
  readonly health: CapabilityHealth
  readonly canary_successes: number
  readonly receipt_id: string
}

/** What a look at the device says of a capability. Failures of the past stay on record. */
export function recordProbe(ctx: CommandContext, capabilityId: string, probe: Probe): Probed {
  const { ability_id } = getAbilityBehind(ctx.tx, capabilityId, ctx.actor.user_id)
  const before = healthOf(ctx.tx, capabilityId)
  const canary_successes = probe.ok ? before.canary_successes + 1 : 0
  const next = probed(ctx, before, { ok: probe.ok, canary_successes })
  if (saveHealth(ctx, next)) {
    rebuildBridge(ctx)
    refreshAvailability(ctx, 'capability.health.changed', { ability_ids: [ability_id] })
  }
  const kind = probe.ok ? 'capability.reprobe.succeeded' : 'capability.reprobe.failed'
  tellProbe(ctx, kind, { capability_id: capabilityId, canary_successes })
  const receipt_id = recordReceipt(ctx, 'capability.reprobed', {
    ability_id,
    status: probe.ok ? 'ok' : 'failed',
    summary: `${capabilityId} was probed: ${probe.ok ? 'it answers' : 'it does not answer'}.`,
    details: { ...probe, capability_id: capabilityId, canary_successes },
  })
  return { health: publicHealth(next, true), canary_successes, receipt_id }
}

/** One look proves what is new; what has failed before needs several in a row. What was switched off stays off. */
export function probed(
  ctx: CommandContext,
  before: HealthRow,
  { ok, canary_successes }: { ok: boolean; canary_successes: number },
): HealthRow {
  const seen = { ...before, canary_successes, ...(ok ? { last_verified_at: ctx.now } : {}) }
  const needed = before.reason_codes.includes('smoke_tests_pending') ? 1 : canariesForHealth
  if (!ok || canary_successes < needed || before.health_status === 'disabled') return seen
  return {
    ...countAnew(ctx, seen),
    canary_successes,
    health_status: 'healthy',
    session_availability: 'supported',
    reason_codes: [],
  }
}
