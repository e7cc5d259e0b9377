import type { EventKind } from '@apprentice/contracts/base/events.ts'
import { EVERYONE } from '../../store/command/events.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEventFor, recordSessionEvent } from '../command/ledger.ts'
import { isShared, type VisibilityFields } from './lanes.ts'

export type AbilityEventKind = Extract<EventKind, `ability.${string}`>

type EventAbility = VisibilityFields & Pick<AbilityRow, 'ability_id' | 'owner_user_id' | 'learn_session_id'>

/** Who may see an event of the ability: whoever may see the ability. */
export const findAbilityAudience = (ability: VisibilityFields & Pick<AbilityRow, 'owner_user_id'>): string =>
  isShared(ability) ? EVERYONE : ability.owner_user_id

/** Records the event in the learn session of the ability if it still exists, else on the ability. */
export function recordAbilityEvent(
  ctx: CommandContext,
  ability: EventAbility,
  kind: AbilityEventKind,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  const { ability_id, learn_session_id } = ability
  const visible_to = findAbilityAudience(ability)
  const payload = { ability_id, ...facts }
  const ref = `ability:${ability_id}`
  if (learn_session_id !== undefined && findLearnSession(ctx.tx, learn_session_id) !== undefined) {
    recordSessionEvent(ctx, learn_session_id, kind, { ref, payload, visible_to })
  } else {
    recordEventFor(ctx, visible_to, { subject: `ability/${ability_id}`, kind, payload })
  }
}
