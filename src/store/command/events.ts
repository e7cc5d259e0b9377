import { EVENT_KINDS, type EventKind } from '@apprentice/contracts/base/events.ts'
import type { LearnSessionState, LearnTimelineEvent } from '@apprentice/contracts/learn/session.ts'
import { integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { type Positioned, readNumber, type Span } from '../db/queries.ts'
import { defineTable, type InsertOf, type RowOf } from '../db/table.ts'

export const events = defineTable(
  'events',
  {
    seq: integer().notInserted(),
    timeline_event_id: text(),
    subject: text(),
    learn_session_id: text().optional(),
    /** The event's number in the stream of its subject. Absent if the event is not delivered. */
    stream_seq: integer().optional().notInserted(),
    kind: text<EventKind>(),
    from_state: text<LearnSessionState>().optional(),
    to_state: text<LearnSessionState>().optional(),
    ref: text().optional(),
    payload: json<Readonly<Record<string, unknown>>>(),
    correlation_id: text(),
    created_at: text(),
    /** The user who may see the event, or everyone. Absent: administrators only. */
    visible_to: text().optional(),
  },
  { key: ['seq'] },
)

/** In `visible_to`: every user may see the event. It is no valid user id. */
export const EVERYONE = '*'

export type NewEvent = InsertOf<typeof events>
export type StoredEvent = RowOf<typeof events>

/** The highest number of a stream. Numbers grow with `seq`, so it is the number of the last event. */
const LAST_STREAM_SEQ = `coalesce((SELECT stream_seq FROM events WHERE subject = ? AND stream_seq IS NOT NULL
  ORDER BY seq DESC LIMIT 1), 0)`
const INSERT_DELIVERED = events.insertText({ stream_seq: `${LAST_STREAM_SEQ} + 1` })

/** A delivered event gets the next number of its subject's stream in the same transaction. */
export function appendEvent(tx: Tx, event: NewEvent): void {
  if (EVENT_KINDS[event.kind].delivered) {
    sql(tx, INSERT_DELIVERED).run(event.subject, ...events.encode(event))
  } else {
    events.insert(tx, event)
  }
}

export function listEventsSince(reader: Reader, seq: number, limit: number): StoredEvent[] {
  return sql(reader, 'SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?').all(seq, limit).map(events.decode)
}

export function getLastEventSeq(reader: Reader): number {
  return readNumber(reader, 'SELECT coalesce(max(seq), 0) FROM events')
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
    .map(events.decode)
}

export function getLastStreamSeq(reader: Reader, subject: string): number {
  return readNumber(reader, `SELECT ${LAST_STREAM_SEQ}`, subject)
}

/** A timeline contains delivered events. All other events only mark that something changed. */
export const IN_TIMELINE = 'stream_seq IS NOT NULL'
/** The index contains the subject, not the session. */
export const OF_SESSION = `subject = 'learn/' || ? AND learn_session_id IS NOT NULL`

/** The newest `limit` entries of a session's timeline, oldest first. */
export function listTimeline(reader: Reader, sessionId: string, limit: number): LearnTimelineEvent[] {
  return sql(
    reader,
    `SELECT * FROM (SELECT * FROM events WHERE ${OF_SESSION} AND ${IN_TIMELINE} ORDER BY seq DESC LIMIT ?) ORDER BY seq`,
  )
    .all(sessionId, limit)
    .map((row) => toTimelineEvent(sessionId, events.decode(row)))
}

/** Timeline entries and their positions, for the log file of a session. */
export function listTimelineSince(
  reader: Reader,
  sessionId: string,
  { after, limit }: Span,
): Positioned<LearnTimelineEvent>[] {
  return sql(reader, `SELECT * FROM events WHERE ${OF_SESSION} AND seq > ? AND ${IN_TIMELINE} ORDER BY seq LIMIT ?`)
    .all(sessionId, after, limit)
    .map((row) => {
      const event = events.decode(row)
      return { position: event.seq, entry: toTimelineEvent(sessionId, event) }
    })
}

/** Deletes the events of a session. The event that reports the deletion has no session. */
export function deleteSessionEvents(tx: Tx, sessionId: string): void {
  sql(tx, `DELETE FROM events WHERE ${OF_SESSION}`).run(sessionId)
}

/** The number of an entry is the id of the event in the stream of the session. */
function toTimelineEvent(sessionId: string, event: StoredEvent): LearnTimelineEvent {
  const { timeline_event_id, stream_seq: seq = 0, kind, from_state, to_state, ref, payload, created_at } = event
  const facts = EVENT_KINDS[kind]
  return {
    timeline_event_id,
    learn_session_id: sessionId,
    seq,
    kind: facts.timeline,
    event_kind: kind,
    label: facts.label,
    ...(from_state === undefined ? {} : { from_state }),
    ...(to_state === undefined ? {} : { to_state }),
    ...(ref === undefined ? {} : { ref }),
    payload,
    created_at,
    schema_version: 1,
  }
}
