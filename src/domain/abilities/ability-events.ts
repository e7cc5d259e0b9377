import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordSessionEvent } from '../command/ledger.ts'

export type AbilityEventKind = Extract<EventKind, `ability.${string}`>

/** Records the event in the learn session of the ability if it still exists, else on the ability. */
export function recordAbilityEvent(
  ctx: CommandContext,
  { ability_id, learn_session_id }: Pick<AbilityRow, 'ability_id' | 'learn_session_id'>,
  kind: AbilityEventKind,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  const payload = { ability_id, ...facts }
  const ref = `ability:${ability_id}`
  if (learn_session_id !== undefined && findLearnSession(ctx.tx, learn_session_id) !== undefined) {
    recordSessionEvent(ctx, learn_session_id, kind, { ref, payload })
  } else {
    recordEvent(ctx, `ability/${ability_id}`, kind, payload)
  }
}
