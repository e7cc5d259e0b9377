import {
  appendCapabilityFailure,
  addCapabilityUse,
  findAbilityIdByCapability,
  type HealthRow,
} from '../../store/capabilities/capabilities.ts'
import { requestRefresh } from '../abilities/availability.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { rebuildBridge } from './bridge.ts'
import { listCountedFailures, readHealth, saveHealth, judgeFailures } from './health.ts'

export interface CapabilityOutcome {
  readonly capability_id: string
  readonly success: boolean
  /** Identifies the kind of failure: equal ones are counted together. */
  readonly fingerprint?: string | undefined
  /** A safety rule was violated. */
  readonly critical?: boolean | undefined
  readonly fallback_used?: boolean | undefined
  /** The failure is not the skill's fault: the use is counted, the health is not changed. */
  readonly blameless?: boolean | undefined
}

/** Counts a use and updates the health. Outcomes of removed capabilities are ignored. */
export function recordCapabilityOutcome(ctx: CommandContext, outcome: CapabilityOutcome): void {
  const { capability_id, success, fingerprint = 'unknown', critical = false } = outcome
  if (findAbilityIdByCapability(ctx.tx, capability_id) === undefined) return
  addCapabilityUse(ctx.tx, capability_id, {
    success,
    fallback_used: outcome.fallback_used ?? false,
    at: ctx.now,
  })
  recordEvent(ctx, `capability/${capability_id}`, 'capability.used', { capability_id, success })
  if (!success && outcome.blameless === true) return
  const { user_id } = ctx.actor
  const failure = { capability_id, fingerprint, critical, user_id, created_at: ctx.now }
  if (!success) appendCapabilityFailure(ctx.tx, failure)
  const health = readHealth(ctx.tx, capability_id)
  const next = success ? afterSuccess(ctx, health) : afterFailure(ctx, health, critical)
  // Routing and availability depend on health.
  if (!saveHealth(ctx, next)) return
  rebuildBridge(ctx)
  requestRefresh(ctx, 'capability.health.changed')
}

/** A success makes an unproven capability healthy. One that failed needs canaries, or its failures to age out. */
function afterSuccess(ctx: CommandContext, health: HealthRow): HealthRow {
  const isProven =
    ['unknown', 'degraded'].includes(health.health_status) &&
    judgeFailures(listCountedFailures(ctx, health)) === undefined &&
    !health.reason_codes.includes('quarantine_cleared_manually')
  return {
    ...health,
    last_verified_at: ctx.now,
    ...(isProven ? { health_status: 'healthy', session_availability: 'supported', reason_codes: [] } : {}),
  }
}

function afterFailure(ctx: CommandContext, health: HealthRow, critical: boolean): HealthRow {
  const failed = { ...health, canary_successes: 0 }
  const worst = judgeFailures(listCountedFailures(ctx, health))
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
