import { eventKinds, type EventKind } from '@apprentice/contracts/base/events.ts'
import type { LearnTimelineEvent } from '@apprentice/contracts/learn/session.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { present, type Row } from '../db/row.ts'

export interface NewEvent {
  readonly timeline_event_id: string
  readonly subject: string
  readonly learn_session_id?: string | undefined
  readonly kind: EventKind
  readonly from_state?: string | undefined
  readonly to_state?: string | undefined
  readonly ref?: string | undefined
  readonly payload: Readonly<Record<string, unknown>>
  readonly correlation_id: string
  readonly created_at: string
}

export interface StoredEvent {
  readonly seq: number
  readonly subject: string
  readonly learn_session_id?: string
  /** The event's number in its subject's stream; absent if it is not delivered. */
  readonly stream_seq?: number
  readonly kind: EventKind
  readonly payload: Readonly<Record<string, unknown>>
  readonly correlation_id: string
  readonly created_at: string
}

const columns =
  'timeline_event_id, subject, learn_session_id, stream_seq, kind, from_state, to_state, ref, payload, correlation_id, created_at'

const insertWith = (streamSeq: string): string =>
  `INSERT INTO events (${columns}) VALUES (?, ?, ?, ${streamSeq}, ?, ?, ?, ?, ?, ?, ?)`
const insertSilent = insertWith('?')
/** Numbers of a stream grow with `seq`, so the last of them is the highest. */
const lastNumber = `coalesce((SELECT stream_seq FROM events WHERE subject = ? AND stream_seq IS NOT NULL
  ORDER BY seq DESC LIMIT 1), 0)`
const insertDelivered = insertWith(`${lastNumber} + 1`)

/** A delivered event takes the next number of its subject's stream, in the same transaction. */
export function appendEvent(tx: Tx, event: NewEvent): void {
  const { delivered } = eventKinds[event.kind]
  sql(tx, delivered ? insertDelivered : insertSilent).run(
    event.timeline_event_id,
    event.subject,
    event.learn_session_id ?? null,
    delivered ? event.subject : null,
    event.kind,
    event.from_state ?? null,
    event.to_state ?? null,
    event.ref ?? null,
    JSON.stringify(event.payload),
    event.correlation_id,
    event.created_at,
  )
}

export function listEventsSince(reader: Reader, seq: number, limit: number): StoredEvent[] {
  return sql(reader, 'SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?')
    .all(seq, limit)
    .map(toStoredEvent)
}

export function lastEventSeq(reader: Reader): number {
  return (sql(reader, 'SELECT coalesce(max(seq), 0) AS seq FROM events').get() as { seq: number })
    .seq
}

/** The delivered events of a subject after `afterSeq`, oldest first. */
export function listStreamEvents(
  reader: Reader,
  subject: string,
  { afterSeq, limit }: { afterSeq: number; limit: number },
): StoredEvent[] {
  return sql(
    reader,
    `SELECT * FROM events WHERE subject = ? AND stream_seq > ? AND stream_seq IS NOT NULL
      ORDER BY seq LIMIT ?`,
  )
    .all(subject, afterSeq, limit)
    .map(toStoredEvent)
}

export function lastStreamSeq(reader: Reader, subject: string): number {
  return sql(reader, `SELECT ${lastNumber}`).pluck().get(subject) as number
}

/** What a timeline shows: what was delivered, and the marks people set. The rest only says that something changed. */
export const shown = `(stream_seq IS NOT NULL OR kind = 'learn.boundary.marked')`
/** Through the subject, which is what the index knows. */
export const ofSession = `subject = 'learn/' || ? AND learn_session_id IS NOT NULL`

/** The newest `limit` entries of a session's timeline, oldest first. */
export function listTimeline(
  reader: Reader,
  sessionId: string,
  limit: number,
): LearnTimelineEvent[] {
  return sql(
    reader,
    `SELECT * FROM (SELECT * FROM events WHERE ${ofSession} AND ${shown} ORDER BY seq DESC LIMIT ?) ORDER BY seq`,
  )
    .all(sessionId, limit)
    .map((row) => toTimelineEvent(row as Row))
}

/** Timeline entries with their order, for the log file of a session. */
export function listTimelineSince(
  reader: Reader,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: LearnTimelineEvent & { sse_id?: number } }[] {
  return sql(
    reader,
    `SELECT * FROM events WHERE ${ofSession} AND seq > ? AND ${shown} ORDER BY seq LIMIT ?`,
  )
    .all(sessionId, after, limit)
    .map((row) => {
      const { seq, stream_seq } = row as { seq: number; stream_seq: number | null }
      const sse = stream_seq === null ? {} : { sse_id: stream_seq }
      return { position: seq, entry: { ...toTimelineEvent(row as Row), ...sse } }
    })
}

/** Forgets a session's events; the deletion itself is then told by an event without a session. */
export function deleteSessionEvents(tx: Tx, sessionId: string): void {
  sql(tx, `DELETE FROM events WHERE ${ofSession}`).run(sessionId)
}

function toStoredEvent(row: unknown): StoredEvent {
  const event = present(row as Row)
  return { ...event, payload: JSON.parse(String(event['payload'])) } as unknown as StoredEvent
}

function toTimelineEvent(row: Row): LearnTimelineEvent {
  const {
    timeline_event_id,
    learn_session_id,
    seq,
    kind,
    from_state,
    to_state,
    ref,
    payload,
    created_at,
  } = present(row)
  const facts = eventKinds[kind as EventKind]
  return {
    timeline_event_id,
    learn_session_id,
    seq,
    kind: facts.timeline,
    event_kind: kind,
    label: facts.label,
    ...(from_state === undefined ? {} : { from_state }),
    ...(to_state === undefined ? {} : { to_state }),
    ...(ref === undefined ? {} : { ref }),
    payload: JSON.parse(String(payload)),
    created_at,
    schema_version: 1,
  } as LearnTimelineEvent
}
