import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import { deleteCapability, findHealth, type HealthRow, upsertHealth } from '../../store/capabilities/capabilities.ts'
import type { CommandContext } from '../command/context.ts'
import { rebuildBridge, type RebuildCause, type RebuiltBridge } from './bridge.ts'
import { ABILITY_QUARANTINED, resetFailureCount, recordHealthChange, newHealth, saveHealth } from './health.ts'

/**
 * Rebuilds the bridge with a new version of a capability. Failures of earlier versions no longer count, and smoke
 * tests are pending. A quarantined ability keeps its health.
 */
export function rebuildBridgeForNewVersion(
  ctx: CommandContext,
  { capability_id }: CapabilityManifest,
  cause: RebuildCause,
): RebuiltBridge | Failure {
  const before = findHealth(ctx.tx, capability_id)
  if (before?.reason_codes.includes(ABILITY_QUARANTINED)) return rebuildBridge(ctx, cause)
  const health: HealthRow = {
    ...resetFailureCount(ctx, newHealth(capability_id)),
    health_status: 'degraded',
    reason_codes: ['smoke_tests_pending'],
  }
  upsertHealth(ctx.tx, health)
  const bridge = rebuildBridge(ctx, cause)
  if (!(bridge instanceof Failure)) recordHealthChange(ctx, before, health)
  else if (before === undefined) deleteCapability(ctx.tx, capability_id)
  else upsertHealth(ctx.tx, before)
  return bridge
}

/**
 * Failures of earlier versions of a capability that is not on the bridge no longer count. A quarantined ability keeps its
 * health.
 */
export function forgetEarlierFailures(ctx: CommandContext, capabilityId: string): void {
  const before = findHealth(ctx.tx, capabilityId)
  if (before === undefined || before.reason_codes.includes(ABILITY_QUARANTINED)) return
  saveHealth(ctx, resetFailureCount(ctx, newHealth(capabilityId)))
}
