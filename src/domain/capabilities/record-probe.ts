import type { CapabilityHealth } from '@apprentice/contracts/capabilities/capability.ts'
import type { HealthRow } from '../../store/capabilities/capabilities.ts'
import { refreshAvailability } from '../abilities/availability.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { rebuildBridge } from './bridge.ts'
import { resetFailureCount, readHealth, toPublicHealth, saveHealth } from './health.ts'
import { getAbilityOfCapability } from './ability-of-capability.ts'
import { type Probe, recordProbeEvent } from './probe.ts'

const CANARIES_TO_RECOVER = 5

interface ProbeRecord {
  readonly health: CapabilityHealth
  readonly canary_successes: number
  readonly receipt_id: string
}

/** Updates the health of a capability with the result of a probe. Past failures are not deleted. */
export function recordProbe(ctx: CommandContext, capabilityId: string, probe: Probe): ProbeRecord {
  const { ability_id } = getAbilityOfCapability(ctx.tx, capabilityId, ctx.actor.user_id)
  const before = readHealth(ctx.tx, capabilityId)
  const canary_successes = probe.ok ? before.canary_successes + 1 : 0
  const next = applyProbe(ctx, before, { ok: probe.ok, canary_successes })
  if (saveHealth(ctx, next)) {
    rebuildBridge(ctx)
    refreshAvailability(ctx, 'capability.health.changed', { ability_ids: [ability_id] })
  }
  const kind = probe.ok ? 'capability.reprobe.succeeded' : 'capability.reprobe.failed'
  recordProbeEvent(ctx, kind, { capability_id: capabilityId, canary_successes })
  const receipt_id = recordReceipt(ctx, 'capability.reprobed', {
    ability_id,
    status: probe.ok ? 'ok' : 'failed',
    summary: `Probe of ${capabilityId} ${probe.ok ? 'succeeded' : 'failed'}.`,
    details: { ...probe, capability_id: capabilityId, canary_successes },
  })
  return { health: toPublicHealth(next, true), canary_successes, receipt_id }
}

/** One success proves a new capability, one that failed needs several in a row. A disabled one stays disabled. */
export function applyProbe(
  ctx: CommandContext,
  before: HealthRow,
  { ok, canary_successes }: { ok: boolean; canary_successes: number },
): HealthRow {
  const next = { ...before, canary_successes, ...(ok ? { last_verified_at: ctx.now } : {}) }
  const needed = before.reason_codes.includes('smoke_tests_pending') ? 1 : CANARIES_TO_RECOVER
  if (!ok || canary_successes < needed || before.health_status === 'disabled') return next
  return {
    ...resetFailureCount(ctx, next),
    canary_successes,
    health_status: 'healthy',
    session_availability: 'supported',
    reason_codes: [],
  }
}
