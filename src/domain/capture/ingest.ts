import type { z } from 'zod'
import type {
  IncomingActionEvent,
  ingestObservations,
} from '@apprentice/contracts/learn/observation.ts'
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
import { countKeptEvents } from './captured-events.ts'
import { redactEvent, stricterMode, weakestMode } from './redaction.ts'
import { assertState } from '../sessions/session-machine.ts'
import { saveSession } from '../sessions/session-moves.ts'
import { keepKnownTexts, readKnownTexts } from './typed-texts.ts'
import { isOnTarget } from './whitelist.ts'

export type IngestReply = z.infer<(typeof ingestObservations)['reply']>

export interface IngestBatch {
  readonly batch_request_id: string
  readonly events: readonly IncomingActionEvent[]
}

export const captureLimit = 20_000

/**
 * Takes observed actions into a capturing session; the daemon's own receipts come this way too. A capture that is
 * full is paused: that Failure is returned and not thrown, so that the pause stands.
 */
export function ingestEvents(
  ctx: CommandContext,
  session: StoredSession,
  batch: IngestBatch,
): IngestReply | Failure {
  const { learn_session_id: id } = session
  const first = findBatchReply(ctx.tx, id, batch.batch_request_id)
  if (first !== undefined) return JSON.parse(first) as IngestReply
  assertCapturing(session)
  assertOwnEvents(id, batch.events)
  const sorted = sortOut(ctx, session, batch.events)
  const stored = countObservations(ctx.tx, id)
  if (stored + sorted.accepted.length > captureLimit) return pauseFull(ctx, session)
  store(ctx, session, { batch, accepted: sorted.accepted })
  if (stored === 0) tellFirst(ctx, id, sorted.accepted[0])
  const reply = settle(ctx, session, sorted)
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
  throw new Failure('INVALID_REQUEST', `${field}: is not the session of this request.`, {
    details: { field },
  })
}

interface SortedEvents {
  readonly accepted: IncomingActionEvent[]
  readonly rejected: IngestReply['rejected']
  dropped: number
  duplicates: number
}

function sortOut(
  ctx: CommandContext,
  session: StoredSession,
  events: readonly IncomingActionEvent[],
): SortedEvents {
  const sorted: SortedEvents = { accepted: [], rejected: [], dropped: 0, duplicates: 0 }
  const seen = new Set<string>()
  for (const event of events) {
    const { event_id } = event
    if (!session.adapters_armed.includes(event.adapter_kind)) {
      sorted.rejected.push({ event_id, code: 'ADAPTER_UNAVAILABLE' })
    } else if (!isOnTarget(session, event)) {
      sorted.dropped += 1
    } else if (seen.has(event_id) || isKnown(ctx, event)) {
      sorted.duplicates += 1
    } else if (needsConsent(session, event)) {
      sorted.rejected.push({ event_id, code: 'OBSERVATION_CONSENT_REQUIRED' })
    } else {
      seen.add(event_id)
      sorted.accepted.push(event)
    }
  }
  return sorted
}

const isKnown = ({ tx }: CommandContext, event: IncomingActionEvent): boolean =>
  findObservation(tx, event.learn_session_id, event.event_id) !== undefined

const needsConsent = (session: StoredSession, event: IncomingActionEvent): boolean =>
  event.adapter_kind === 'text_entry' &&
  event.redaction_mode === 'none' &&
  !session.text_capture_consent

function pauseFull(ctx: CommandContext, session: StoredSession): Failure {
  pauseCapture(asSystem(ctx, session.owner_user_id), session.learn_session_id, 'capture_limit')
  return new Failure(
    'PAYLOAD_TOO_LARGE',
    `A session holds at most ${captureLimit} actions; the capture was paused.`,
    { details: { limit: captureLimit, state: 'paused' } },
  )
}

function store(
  ctx: CommandContext,
  session: StoredSession,
  { batch, accepted }: { batch: IngestBatch; accepted: readonly IncomingActionEvent[] },
): void {
  const { learn_session_id, redaction_salt: salt, text_capture_consent: consent } = session
  const known = readKnownTexts(ctx.tx, session)
  const already = known.numbers.size
  let ingest_seq = findLastObservation(ctx.tx, learn_session_id)?.ingest_seq ?? 0
  for (const event of accepted) {
    const mode = stricterMode(event.redaction_mode, weakestMode(event.adapter_kind, consent))
    const fromDevice = event.adapter_kind === 'wrapper_receipt'
    appendObservation(ctx.tx, {
      ...redactEvent(event, { mode, salt, known: fromDevice ? known : undefined }),
      ingest_seq: (ingest_seq += 1),
      batch_id: session.active_observation_batch_ids.at(-1) ?? batch.batch_request_id,
      received_at: ctx.now,
    })
  }
  keepKnownTexts(ctx.tx, learn_session_id, { known, already })
}

/** Told once in a session's life, even if everything captured was deleted in between. */
function tellFirst(
  ctx: CommandContext,
  sessionId: string,
  event: IncomingActionEvent | undefined,
): void {
  if (event === undefined) return
  const told = listStreamEvents(ctx.tx, `learn/${sessionId}`, { afterSeq: 0, limit: 100_000 })
  if (told.some(({ kind }) => kind === 'learn.capture.first_event')) return
  recordSessionEvent(ctx, sessionId, 'learn.capture.first_event', {
    payload: { event_id: event.event_id, adapter_kind: event.adapter_kind },
  })
}

function settle(ctx: CommandContext, session: StoredSession, sorted: SortedEvents): IngestReply {
  const captured_event_count = countKeptEvents(ctx.tx, session.learn_session_id)
  const off_target_events_dropped = session.off_target_events_dropped + sorted.dropped
  if (sorted.accepted.length + sorted.dropped > 0) {
    saveSession(ctx, { ...session, captured_event_count, off_target_events_dropped })
  }
  return {
    accepted: sorted.accepted.length,
    duplicates: sorted.duplicates,
    dropped_off_target: sorted.dropped,
    rejected: sorted.rejected,
    off_target_events_dropped,
    captured_event_count,
    schema_version: 1,
  }
}
