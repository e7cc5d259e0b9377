import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, flag, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString, listStrings, type Positioned, readNumber, type Span, withPosition } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'
import { deleteSessionExamples } from '../proposals/proposal-examples.ts'
import { deleteElementMarks } from './element-marks.ts'
import { deleteSessionEvidence } from './evidence.ts'
import { deleteObservedStep, deleteObservedSteps } from './observed-steps.ts'

export const observations = defineTable(
  'observations',
  {
    position: integer().notInserted(),
    event_id: text(),
    learn_session_id: text(),
    adapter_kind: text<ObservedActionEvent['adapter_kind']>(),
    ...columns(text().optional(), 'app_family', 'bundle_id', 'window_title'),
    action_label: text(),
    control_surface: text<NonNullable<ObservedActionEvent['control_surface']>>().optional(),
    ...columns(text().optional(), 'target_ref', 'before_state_ref', 'after_state_ref'),
    caused_state_change: flag(),
    redaction_mode: text<ObservedActionEvent['redaction_mode']>(),
    created_at: text(),
    ingest_seq: integer(),
    batch_id: text(),
    received_at: text(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

/** The reply to each batch of observations. A batch that is sent again gets the same reply. */
export const observationBatches = defineTable(
  'observation_batches',
  { learn_session_id: text(), batch_request_id: text(), reply: text() },
  { key: ['learn_session_id', 'batch_request_id'] },
)

const observation = observations.without('position')
/** An observed action and how it was received. */
export type StoredObservation = ReturnType<typeof observation.decode>

export function appendObservation(tx: Tx, event: StoredObservation): void {
  observations.insert(tx, event)
}

export function findObservation(reader: Reader, sessionId: string, eventId: string): StoredObservation | undefined {
  const row = sql(reader, 'SELECT * FROM observations WHERE learn_session_id = ? AND event_id = ?').get(
    sessionId,
    eventId,
  )
  return observation.decodeOptional(row)
}

export function findLastObservation(reader: Reader, sessionId: string): StoredObservation | undefined {
  const row = sql(reader, 'SELECT * FROM observations WHERE learn_session_id = ? ORDER BY position DESC LIMIT 1').get(
    sessionId,
  )
  return observation.decodeOptional(row)
}

/** The order in which actions happened. Actions of the same time are in the order of their arrival. */
const BY_TIME = 'ORDER BY created_at, ingest_seq'

export function listObservations(reader: Reader, sessionId: string): StoredObservation[] {
  return sql(reader, `SELECT * FROM observations WHERE learn_session_id = ? ${BY_TIME}`)
    .all(sessionId)
    .map(observation.decode)
}

export function listObservationPage(
  reader: Reader,
  sessionId: string,
  { page, page_size }: PageQuery,
): StoredObservation[] {
  return sql(reader, `SELECT * FROM observations WHERE learn_session_id = ? ${BY_TIME} LIMIT ? OFFSET ?`)
    .all(sessionId, page_size, (page - 1) * page_size)
    .map(observation.decode)
}

export function countObservations(reader: Reader, sessionId: string): number {
  return readNumber(reader, 'SELECT count(*) FROM observations WHERE learn_session_id = ?', sessionId)
}

export function listObservedKinds(reader: Reader, sessionId: string): string[] {
  return listStrings(
    reader,
    'SELECT DISTINCT adapter_kind FROM observations WHERE learn_session_id = ? ORDER BY adapter_kind',
    sessionId,
  )
}

export function listObservationsSince(
  reader: Reader,
  sessionId: string,
  { after, limit }: Span,
): Positioned<StoredObservation>[] {
  return sql(reader, 'SELECT * FROM observations WHERE learn_session_id = ? AND position > ? ORDER BY position LIMIT ?')
    .all(sessionId, after, limit)
    .map(withPosition(observation))
}

export function deleteObservation(tx: Tx, sessionId: string, eventId: string): boolean {
  deleteObservedStep(tx, eventId)
  sql(tx, 'DELETE FROM element_marks WHERE learn_session_id = ? AND event_id = ?').run(sessionId, eventId)
  return (
    sql(tx, 'DELETE FROM observations WHERE learn_session_id = ? AND event_id = ?').run(sessionId, eventId).changes ===
    1
  )
}

/** Replaces an observation. The new row has a new position, so that the file of the session is written again. */
export function replaceObservation(tx: Tx, event: StoredObservation): void {
  const { learn_session_id, event_id } = event
  sql(tx, 'DELETE FROM observations WHERE learn_session_id = ? AND event_id = ?').run(learn_session_id, event_id)
  appendObservation(tx, event)
}

/** Deletes all observed data of a session. Returns the number of deleted observations. */
export function deleteObservations(tx: Tx, sessionId: string): number {
  deleteSessionEvidence(tx, sessionId)
  deleteObservedSteps(tx, sessionId)
  deleteElementMarks(tx, sessionId)
  deleteSessionExamples(tx, sessionId)
  sql(tx, 'DELETE FROM observation_batches WHERE learn_session_id = ?').run(sessionId)
  sql(tx, 'DELETE FROM observed_texts WHERE learn_session_id = ?').run(sessionId)
  return sql(tx, 'DELETE FROM observations WHERE learn_session_id = ?').run(sessionId).changes
}

export function findBatchReply(reader: Reader, sessionId: string, batchId: string): string | undefined {
  return findString(
    reader,
    'SELECT reply FROM observation_batches WHERE learn_session_id = ? AND batch_request_id = ?',
    sessionId,
    batchId,
  )
}

export function insertBatchReply(tx: Tx, sessionId: string, batchId: string, reply: string): void {
  observationBatches.insert(tx, {
    learn_session_id: sessionId,
    batch_request_id: batchId,
    reply,
  })
}
