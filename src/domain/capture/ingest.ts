import type { z } from 'zod'
import type { IncomingActionEvent, ingestObservations } from '@apprentice/contracts/learn/observation.ts'
import { Failure } from '../../failure/failure.ts'
import { listStreamEvents } from '../../store/command/events.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import {
  appendObservation,
  countObservations,
  findBatchReply,
  findLastObservation,
  findObservation,
  insertBatchReply,
} from '../../store/capture/observations.ts'
import { type CommandContext, asSystem } from '../command/context.ts'
import { recordSessionEvent } from '../command/ledger.ts'
import { pauseCapture } from './capture.ts'
import { countIncludedEvents } from './captured-events.ts'
import { redactEvent, pickStricterMode, getMinimumRedaction } from './redaction.ts'
import { assertState } from '../sessions/session-machine.ts'
import { saveSession } from '../sessions/session-moves.ts'
import { saveKnownTexts, readKnownTexts } from './typed-texts.ts'
import { isOnTarget } from './whitelist.ts'

export type IngestReply = z.infer<(typeof ingestObservations)['reply']>

export interface IngestBatch {
  readonly batch_request_id: string
  readonly events: readonly IncomingActionEvent[]
}

export const MAX_CAPTURED_EVENTS = 20_000

/**
 * Stores observed events in a capturing session. Receipts of the daemon itself use the same function. A full capture
 * is paused; its Failure is returned instead of thrown so that the pause is committed.
 */
export function ingestEvents(ctx: CommandContext, session: StoredSession, batch: IngestBatch): IngestReply | Failure {
  const { learn_session_id: id } = session
  const first = findBatchReply(ctx.tx, id, batch.batch_request_id)
  if (first !== undefined) return JSON.parse(first) as IngestReply
  assertCapturing(session)
  assertOwnEvents(id, batch.events)
  const classified = classifyEvents(ctx, session, batch.events)
  const stored = countObservations(ctx.tx, id)
  if (stored + classified.accepted.length > MAX_CAPTURED_EVENTS) return pauseFullCapture(ctx, session)
  storeEvents(ctx, session, { batch, accepted: classified.accepted })
  if (stored === 0) recordFirstEvent(ctx, id, classified.accepted[0])
  const reply = saveCounts(ctx, session, classified)
  insertBatchReply(ctx.tx, id, batch.batch_request_id, JSON.stringify(reply))
  recordSessionEvent(ctx, id, 'learn.observation.changed', {
    payload: { accepted: reply.accepted, dropped_off_target: reply.dropped_off_target },
  })
  return reply
}

function assertCapturing({ state }: StoredSession): void {
  if (!['idle', 'armed', 'capturing', 'paused'].includes(state)) {
    throw new Failure('CAPTURE_ALREADY_STOPPED', `The session is already ${state}.`)
  }
  assertState(state, ['capturing'])
}

function assertOwnEvents(sessionId: string, events: readonly IncomingActionEvent[]): void {
  const foreign = events.findIndex((event) => event.learn_session_id !== sessionId)
  if (foreign === -1) return
  const field = `events.${foreign}.learn_session_id`
  throw new Failure('INVALID_REQUEST', `${field}: must be the session of the request path.`, {
    details: { field },
  })
}

interface ClassifiedEvents {
  readonly accepted: IncomingActionEvent[]
  readonly rejected: IngestReply['rejected']
  dropped: number
  duplicates: number
}

function classifyEvents(
  ctx: CommandContext,
  session: StoredSession,
  events: readonly IncomingActionEvent[],
): ClassifiedEvents {
  const classified: ClassifiedEvents = { accepted: [], rejected: [], dropped: 0, duplicates: 0 }
  const seen = new Set<string>()
  for (const event of events) {
    const { event_id } = event
    if (!session.adapters_armed.includes(event.adapter_kind)) {
      classified.rejected.push({ event_id, code: 'ADAPTER_UNAVAILABLE' })
    } else if (!isOnTarget(session, event)) {
      classified.dropped += 1
    } else if (seen.has(event_id) || isStored(ctx, event)) {
      classified.duplicates += 1
    } else if (needsConsent(session, event)) {
      classified.rejected.push({ event_id, code: 'OBSERVATION_CONSENT_REQUIRED' })
    } else {
      seen.add(event_id)
      classified.accepted.push(event)
    }
  }
  return classified
}

const isStored = ({ tx }: CommandContext, event: IncomingActionEvent): boolean =>
  findObservation(tx, event.learn_session_id, event.event_id) !== undefined

const needsConsent = (session: StoredSession, event: IncomingActionEvent): boolean =>
  event.adapter_kind === 'text_entry' && event.redaction_mode === 'none' && !session.text_capture_consent

function pauseFullCapture(ctx: CommandContext, session: StoredSession): Failure {
  pauseCapture(asSystem(ctx, session.owner_user_id), session.learn_session_id, 'capture_limit')
  return new Failure('PAYLOAD_TOO_LARGE', `A session can hold ${MAX_CAPTURED_EVENTS} events; the capture was paused.`, {
    details: { limit: MAX_CAPTURED_EVENTS, state: 'paused' },
  })
}

function storeEvents(
  ctx: CommandContext,
  session: StoredSession,
  { batch, accepted }: { batch: IngestBatch; accepted: readonly IncomingActionEvent[] },
): void {
  const { learn_session_id, redaction_salt: salt, text_capture_consent: consent } = session
  const known = readKnownTexts(ctx.tx, session)
  const storedCount = known.numbers.size
  let ingest_seq = findLastObservation(ctx.tx, learn_session_id)?.ingest_seq ?? 0
  for (const event of accepted) {
    const mode = pickStricterMode(event.redaction_mode, getMinimumRedaction(event.adapter_kind, consent))
    const fromDevice = event.adapter_kind === 'wrapper_receipt'
    appendObservation(ctx.tx, {
      ...redactEvent(event, { mode, salt, known: fromDevice ? known : undefined }),
      ingest_seq: (ingest_seq += 1),
      batch_id: session.active_observation_batch_ids.at(-1) ?? batch.batch_request_id,
      received_at: ctx.now,
    })
  }
  saveKnownTexts(ctx.tx, learn_session_id, { known, storedCount })
}

/** Recorded once per session, even if all captured events were deleted in between. */
function recordFirstEvent(ctx: CommandContext, sessionId: string, event: IncomingActionEvent | undefined): void {
  if (event === undefined) return
  const recorded = listStreamEvents(ctx.tx, `learn/${sessionId}`, { afterSeq: 0, limit: 100_000 })
  if (recorded.some(({ kind }) => kind === 'learn.capture.first_event')) return
  recordSessionEvent(ctx, sessionId, 'learn.capture.first_event', {
    payload: { event_id: event.event_id, adapter_kind: event.adapter_kind },
  })
}

function saveCounts(ctx: CommandContext, session: StoredSession, classified: ClassifiedEvents): IngestReply {
  const captured_event_count = countIncludedEvents(ctx.tx, session.learn_session_id)
  const off_target_events_dropped = session.off_target_events_dropped + classified.dropped
  if (classified.accepted.length + classified.dropped > 0) {
    saveSession(ctx, { ...session, captured_event_count, off_target_events_dropped })
  }
  return {
    accepted: classified.accepted.length,
    duplicates: classified.duplicates,
    dropped_off_target: classified.dropped,
    rejected: classified.rejected,
    off_target_events_dropped,
    captured_event_count,
    schema_version: 1,
  }
}
