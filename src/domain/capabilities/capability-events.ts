import type { EventKind } from '@apprentice/contracts/base/events.ts'
import { findAbility } from '../../store/abilities/abilities.ts'
import { findAbilityIdByCapability } from '../../store/capabilities/capabilities.ts'
import { findAbilityAudience } from '../abilities/ability-events.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordEventFor } from '../command/ledger.ts'

/** Records an event that everyone sees who sees the ability of the capability. */
export function recordCapabilityEvent(
  ctx: CommandContext,
  kind: Extract<EventKind, `capability.${string}`>,
  facts: { readonly capability_id: string; readonly [fact: string]: unknown },
): void {
  const subject = `capability/${facts.capability_id}`
  const abilityId = findAbilityIdByCapability(ctx.tx, facts.capability_id)
  const ability = abilityId === undefined ? undefined : findAbility(ctx.tx, abilityId)
  if (ability === undefined) recordEvent(ctx, subject, kind, facts)
  else recordEventFor(ctx, findAbilityAudience(ability), { subject, kind, payload: facts })
}
