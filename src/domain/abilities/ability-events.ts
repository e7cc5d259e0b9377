import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { AbilityRow } from '../../store/abilities/abilities.ts'
import { findLearnSession } from '../../store/sessions/learn-sessions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent, recordSessionEvent } from '../command/ledger.ts'

export type AbilityEventKind = Extract<EventKind, `ability.${string}`>

/** Told in the session the ability was learnt in, as long as there is one; else on its own. */
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
