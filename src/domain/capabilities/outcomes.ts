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
export function recordCapabilityOutcome(act: CommandContext, outcome: CapabilityOutcome): void {
  const { capability_id, success, fingerprint = 'unknown', critical = false } = outcome
  if (findAbilityBehind(act.tx, capability_id) === undefined) return
  countUse(act.tx, capability_id, {
    success,
    fallback_used: outcome.fallback_used ?? false,
    at: act.now,
  })
  const failure = { capability_id, fingerprint, critical, created_at: act.now }
  if (!success) appendCapabilityFailure(act.tx, failure)
  const health = healthOf(act.tx, capability_id)
  const next = success ? afterSuccess(act, health) : afterFailure(act, health, critical)
  const changed = saveHealth(act, next)
  recordEvent(act, `capability/${capability_id}`, 'capability.used', { capability_id, success })
  // Routing and availability depend on health.
  if (!changed) return
  rebuildBridge(act)
  requestRefresh(act, 'capability.health.changed')
}

/** A use that went well proves what was only not yet proven; who has failed needs canaries, or time. */
function afterSuccess(act: CommandContext, health: HealthRow): HealthRow {
  const proven =
    ['unknown', 'degraded'].includes(health.health_status) &&
    worstOf(countedFailures(act, health)) === undefined &&
    !health.reason_codes.includes('quarantine_cleared_manually')
  return {
    ...health,
    last_verified_at: act.now,
    ...(proven
      ? { health_status: 'healthy', session_availability: 'supported', reason_codes: [] }
      : {}),
  }
}

function afterFailure(act: CommandContext, health: HealthRow, critical: boolean): HealthRow {
  const failed = { ...health, canary_successes: 0 }
  const worst = worstOf(countedFailures(act, health))
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
