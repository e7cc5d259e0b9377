import type { EventKind } from '../../contracts/events.ts'
import type { LearningReceipt, ReceiptKind } from '../../contracts/learn/receipts.ts'
import { appendEvent, type NewEvent } from '../store/events.ts'
import { appendReceipt } from '../store/receipts.ts'
import type { Act } from './act.ts'

type EventParts = Partial<Pick<NewEvent, 'from_state' | 'to_state' | 'ref' | 'payload'>>

export function recordSessionEvent(
  act: Act,
  sessionId: string,
  kind: EventKind,
  parts: EventParts = {},
): void {
  appendEvent(act.tx, {
    ...marks(act),
    subject: `learn/${sessionId}`,
    learn_session_id: sessionId,
    kind,
    payload: {},
    ...parts,
  })
}

/** An event of no session: categories, configuration, adapters. */
export function recordEvent(
  act: Act,
  subject: string,
  kind: EventKind,
  payload: Readonly<Record<string, unknown>> = {},
): void {
  appendEvent(act.tx, { ...marks(act), subject, kind, payload })
}

type ReceiptParts = Partial<
  Omit<LearningReceipt, 'receipt_id' | 'receipt_kind' | 'correlation_id' | 'created_at' | 'actor'>
> & { summary: string }

/** Returns the receipt's id. */
export function recordReceipt(act: Act, kind: ReceiptKind, parts: ReceiptParts): string {
  const receipt_id = act.newId()
  appendReceipt(act.tx, act.actor.user_id, {
    receipt_id,
    receipt_kind: kind,
    status: 'ok',
    actor: act.actor.kind,
    actor_ref: act.actor.user_id,
    details: {},
    correlation_id: act.correlation_id,
    created_at: act.now,
    schema_version: 1,
    ...parts,
  })
  return receipt_id
}

const marks = (act: Act) => ({
  timeline_event_id: act.newId(),
  correlation_id: act.correlation_id,
  created_at: act.now,
})
