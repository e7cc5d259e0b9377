import { EVENT_KINDS, type EventKind } from '@apprentice/contracts/base/events.ts'
import type { LearningReceipt, ReceiptKind } from '@apprentice/contracts/learn/receipts.ts'
import { appendEvent, EVERYONE, type NewEvent } from '../../store/command/events.ts'
import { appendReceipt } from '../../store/command/receipts.ts'
import { findSessionOwner } from '../../store/sessions/learn-sessions.ts'
import { type CommandContext, DAEMON_ACTOR } from './context.ts'

type EventParts = Partial<Pick<NewEvent, 'from_state' | 'to_state' | 'ref' | 'payload' | 'visible_to'>>

export function recordSessionEvent(
  ctx: CommandContext,
  sessionId: string,
  kind: EventKind,
  parts: EventParts = {},
): void {
  append(ctx, { subject: `learn/${sessionId}`, learn_session_id: sessionId, kind }, parts)
}

/** Records an event that belongs to no session, e.g. of a category, a configuration document or an adapter. */
export function recordEvent(
  ctx: CommandContext,
  subject: string,
  kind: EventKind,
  payload: Readonly<Record<string, unknown>> = {},
): void {
  append(ctx, { subject, kind }, { payload })
}

/** Records an event for an audience other than the actor: a user, or everyone. */
export function recordEventFor(
  ctx: CommandContext,
  visible_to: string,
  { subject, kind, payload }: Pick<NewEvent, 'subject' | 'kind' | 'payload'>,
): void {
  append(ctx, { subject, kind }, { payload, visible_to })
}

/** Lists the fields instead of spreading them: objects of one shape are much cheaper to create. */
function append(
  ctx: CommandContext,
  { subject, learn_session_id, kind }: Pick<NewEvent, 'subject' | 'learn_session_id' | 'kind'>,
  { from_state, to_state, ref, payload = {}, visible_to }: EventParts,
): void {
  appendEvent(ctx.tx, {
    timeline_event_id: ctx.newId(),
    subject,
    learn_session_id,
    kind,
    from_state,
    to_state,
    ref,
    payload,
    correlation_id: ctx.correlation_id,
    created_at: ctx.now,
    visible_to: visible_to ?? findAudience(ctx, kind, learn_session_id),
  })
}

/** The owner of the session, or whoever the change was made for. What the daemon does for nobody is for administrators. */
function findAudience(ctx: CommandContext, kind: EventKind, sessionId: string | undefined): string | undefined {
  if ('for_everyone' in EVENT_KINDS[kind]) return EVERYONE
  const owner = sessionId === undefined ? undefined : findSessionOwner(ctx.tx, sessionId)
  const user = owner ?? ctx.actor.user_id
  return user === DAEMON_ACTOR.user_id ? undefined : user
}

type ReceiptParts = Partial<
  Omit<LearningReceipt, 'receipt_id' | 'receipt_kind' | 'correlation_id' | 'created_at' | 'actor'>
> & { summary: string }

/** Returns the id of the receipt. */
export function recordReceipt(ctx: CommandContext, kind: ReceiptKind, parts: ReceiptParts): string {
  const receipt_id = ctx.newId()
  appendReceipt(ctx.tx, ctx.actor.user_id, {
    receipt_id,
    receipt_kind: kind,
    status: 'ok',
    actor: ctx.actor.kind,
    actor_ref: ctx.actor.operator ?? ctx.actor.user_id,
    details: {},
    correlation_id: ctx.correlation_id,
    created_at: ctx.now,
    schema_version: 1,
    ...parts,
  })
  return receipt_id
}
