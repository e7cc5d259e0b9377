import type { EventKind } from '@apprentice/contracts/base/events.ts'
import type { LearningReceipt, ReceiptKind } from '@apprentice/contracts/learn/receipts.ts'
import { appendEvent, type NewEvent } from '../../store/command/events.ts'
import { appendReceipt } from '../../store/command/receipts.ts'
import type { CommandContext } from './context.ts'

type EventParts = Partial<Pick<NewEvent, 'from_state' | 'to_state' | 'ref' | 'payload'>>

export function recordSessionEvent(
  act: CommandContext,
  sessionId: string,
  kind: EventKind,
  parts: EventParts = {},
): void {
  append(act, { subject: `learn/${sessionId}`, learn_session_id: sessionId, kind }, parts)
}

/** An event of no session: categories, configuration, adapters. */
export function recordEvent(
  act: CommandContext,
  subject: string,
  kind: EventKind,
  payload: Readonly<Record<string, unknown>> = {},
): void {
  append(act, { subject, kind }, { payload })
}

/** Spelled out and not spread together: events of one shape cost a fraction of their making. */
function append(
  act: CommandContext,
  { subject, learn_session_id, kind }: Pick<NewEvent, 'subject' | 'learn_session_id' | 'kind'>,
  { from_state, to_state, ref, payload = {} }: EventParts,
): void {
  appendEvent(act.tx, {
    timeline_event_id: act.newId(),
    subject,
    learn_session_id,
    kind,
    from_state,
    to_state,
    ref,
    payload,
    correlation_id: act.correlation_id,
    created_at: act.now,
  })
}

type ReceiptParts = Partial<
  Omit<LearningReceipt, 'receipt_id' | 'receipt_kind' | 'correlation_id' | 'created_at' | 'actor'>
> & { summary: string }

/** Returns the receipt's id. */
export function recordReceipt(act: CommandContext, kind: ReceiptKind, parts: ReceiptParts): string {
  const receipt_id = act.newId()
  appendReceipt(act.tx, act.actor.user_id, {
    receipt_id,
    receipt_kind: kind,
    status: 'ok',
    actor: act.actor.kind,
    actor_ref: act.actor.by ?? act.actor.user_id,
    details: {},
    correlation_id: act.correlation_id,
    created_at: act.now,
    schema_version: 1,
    ...parts,
  })
  return receipt_id
}
