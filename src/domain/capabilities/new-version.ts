import type { CapabilityManifest } from '@apprentice/contracts/capabilities/capability.ts'
import { Failure } from '../../failure/failure.ts'
import {
  deleteCapability,
  findHealth,
  type HealthRow,
  upsertHealth,
} from '../../store/capabilities/capabilities.ts'
import type { CommandContext } from '../command/context.ts'
import { rebuildBridge, type Rebuilt } from './bridge.ts'
import { abilityQuarantined, countAnew, tellHealth, untried } from './health.ts'

/**
 * Builds the bridge with a version that has yet to show what it can do: what the one before failed at is not held
 * against it. Who took the ability out of use has the last word, though.
 */
export function rebuildWithNew(
  ctx: CommandContext,
  { capability_id }: CapabilityManifest,
): Rebuilt | Failure {
  const before = findHealth(ctx.tx, capability_id)
  if (before?.reason_codes.includes(abilityQuarantined)) return rebuildBridge(ctx)
  const health: HealthRow = {
    ...countAnew(ctx, untried(capability_id)),
    health_status: 'degraded',
    reason_codes: ['smoke_tests_pending'],
  }
  upsertHealth(ctx.tx, health)
  const bridge = rebuildBridge(ctx)
  if (!(bridge instanceof Failure)) tellHealth(ctx, before, health)
  else if (before === undefined) deleteCapability(ctx.tx, capability_id)
  else upsertHealth(ctx.tx, before)
  return bridge
}
