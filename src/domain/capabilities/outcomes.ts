import {
  appendCapabilityFailure,
  countUse,
  findAbilityBehind,
  type HealthRow,
} from '../../store/capabilities/capabilities.ts'
import { requestRefresh } from '../abilities/availability.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { rebuildBridge } from './bridge.ts'
import { countedFailures, healthOf, saveHealth, worstOf } from './health.ts'

export interface CapabilityOutcome {
  readonly capability_id: string
  readonly success: boolean
  /** What kind of failure it was: equal ones count together. */
  readonly fingerprint?: string | undefined
  /** Something was done that must never be done. */
  readonly critical?: boolean | undefined
  readonly fallback_used?: boolean | undefined
}

/** Counts a use, and takes a capability out of the way that keeps failing. One that is gone is not counted. */
export function recordCapabilityOutcome(ctx: CommandContext, outcome: CapabilityOutcome): void {
  const { capability_id, success, fingerprint = 'unknown', critical = false } = outcome
  if (findAbilityBehind(ctx.tx, capability_id) === undefined) return
  countUse(ctx.tx, capability_id, {
    success,
    fallback_used: outcome.fallback_used ?? false,
    at: ctx.now,
  })
  const failure = { capability_id, fingerprint, critical, created_at: ctx.now }
  if (!success) appendCapabilityFailure(ctx.tx, failure)
  const health = healthOf(ctx.tx, capability_id)
  const next = success ? afterSuccess(ctx, health) : afterFailure(ctx, health, critical)
  const changed = saveHealth(ctx, next)
  recordEvent(ctx, `capability/${capability_id}`, 'capability.used', { capability_id, success })
  // Routing and availability depend on health.
  if (!changed) return
  rebuildBridge(ctx)
  requestRefresh(ctx, 'capability.health.changed')
}

/** A use that went well proves what was only not yet proven; who has failed needs canaries, or time. */
function afterSuccess(ctx: CommandContext, health: HealthRow): HealthRow {
  const proven =
    ['unknown', 'degraded'].includes(health.health_status) &&
    worstOf(countedFailures(ctx, health)) === undefined &&
    !health.reason_codes.includes('quarantine_cleared_manually')
  return {
    ...health,
    last_verified_at: ctx.now,
    ...(proven
      ? { health_status: 'healthy', session_availability: 'supported', reason_codes: [] }
      : {}),
  }
}

function afterFailure(ctx: CommandContext, health: HealthRow, critical: boolean): HealthRow {
  const failed = { ...health, canary_successes: 0 }
  const worst = worstOf(countedFailures(ctx, health))
  if (worst === undefined || ['quarantined', 'disabled'].includes(health.health_status)) {
    return failed
  }
  return {
    ...failed,
    health_status: worst,
    session_availability: worst === 'quarantined' ? 'unsupported' : 'degraded',
    reason_codes: [critical ? 'critical_safety_failure' : 'repeated_failures'],
  }
}
