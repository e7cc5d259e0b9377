import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { deleteSessionEvidence } from './evidence.ts'
import { deleteObservedStep, deleteObservedSteps } from './observed-steps.ts'
import { deleteSessionExamples } from '../proposals/proposal-examples.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** An observed action as kept, with the marks of its arrival. */
export interface StoredObservation extends ObservedActionEvent {
  readonly ingest_seq: number
  readonly batch_id: string
  readonly received_at: string
}

const columns = [
  'event_id',
  'learn_session_id',
  'adapter_kind',
  'app_family',
  'bundle_id',
  'window_title',
  'action_label',
  'control_surface',
  'target_ref',
  'before_state_ref',
  'after_state_ref',
  'caused_state_change',
  'redaction_mode',
  'created_at',
  'ingest_seq',
  'batch_id',
  'received_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function appendObservation(tx: Tx, event: StoredObservation): void {
  const { schema_version: _, ...fields } = event
  sql(tx, insertInto('observations', columns)).run(bindable({ ...blank, ...fields }))
}

export function findObservation(
  reader: Reader,
  sessionId: string,
  eventId: string,
): StoredObservation | undefined {
  const row = sql(
    reader,
    'SELECT * FROM observations WHERE learn_session_id = ? AND event_id = ?',
  ).get(sessionId, eventId)
  return row === undefined ? undefined : toObservation(row)
}

export function findLastObservation(
  reader: Reader,
  sessionId: string,
): StoredObservation | undefined {
  const row = sql(
    reader,
    'SELECT * FROM observations WHERE learn_session_id = ? ORDER BY position DESC LIMIT 1',
  ).get(sessionId)
  return row === undefined ? undefined : toObservation(row)
}

/** The order in which actions happened, and of those at one moment the order in which they came in. */
const happened = 'ORDER BY created_at, ingest_seq'

export function listObservations(reader: Reader, sessionId: string): StoredObservation[] {
  return sql(reader, `SELECT * FROM observations WHERE learn_session_id = ? ${happened}`)
    .all(sessionId)
    .map(toObservation)
}

export function listObservationPage(
  reader: Reader,
  sessionId: string,
  { page, page_size }: PageQuery,
): StoredObservation[] {
  return sql(
    reader,
    `SELECT * FROM observations WHERE learn_session_id = ? ${happened} LIMIT ? OFFSET ?`,
  )
    .all(sessionId, page_size, (page - 1) * page_size)
    .map(toObservation)
}

export function countObservations(reader: Reader, sessionId: string): number {
  const row = sql(reader, 'SELECT count(*) AS n FROM observations WHERE learn_session_id = ?').get(
    sessionId,
  )
  return (row as { n: number }).n
}

export function listObservedKinds(reader: Reader, sessionId: string): string[] {
  return sql(
    reader,
    'SELECT DISTINCT adapter_kind FROM observations WHERE learn_session_id = ? ORDER BY adapter_kind',
  )
    .all(sessionId)
    .map((row) => String((row as Row)['adapter_kind']))
}

export function listObservationsSince(
  reader: Reader,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: StoredObservation }[] {
  return sql(
    reader,
    'SELECT * FROM observations WHERE learn_session_id = ? AND position > ? ORDER BY position LIMIT ?',
  )
    .all(sessionId, after, limit)
    .map((row) => ({ position: Number((row as Row)['position']), entry: toObservation(row) }))
}

export function deleteObservation(tx: Tx, sessionId: string, eventId: string): boolean {
  deleteObservedStep(tx, eventId)
  return (
    sql(tx, 'DELETE FROM observations WHERE learn_session_id = ? AND event_id = ?').run(
      sessionId,
      eventId,
    ).changes === 1
  )
}

/** Returns how many were forgotten. */
export function deleteObservations(tx: Tx, sessionId: string): number {
  deleteSessionEvidence(tx, sessionId)
  deleteObservedSteps(tx, sessionId)
  deleteSessionExamples(tx, sessionId)
  sql(tx, 'DELETE FROM observation_batches WHERE learn_session_id = ?').run(sessionId)
  sql(tx, 'DELETE FROM observed_texts WHERE learn_session_id = ?').run(sessionId)
  return sql(tx, 'DELETE FROM observations WHERE learn_session_id = ?').run(sessionId).changes
}

export function findBatchReply(
  reader: Reader,
  sessionId: string,
  batchId: string,
): string | undefined {
  const row = sql(
    reader,
    'SELECT reply FROM observation_batches WHERE learn_session_id = ? AND batch_request_id = ?',
  ).get(sessionId, batchId)
  return row === undefined ? undefined : String((row as Row)['reply'])
}

export function insertBatchReply(tx: Tx, sessionId: string, batchId: string, reply: string): void {
  sql(
    tx,
    'INSERT INTO observation_batches (learn_session_id, batch_request_id, reply) VALUES (?, ?, ?)',
  ).run(sessionId, batchId, reply)
}

function toObservation(row: unknown): StoredObservation {
  const { position: _, ...fields } = present(row as Row)
  return {
    ...fields,
    caused_state_change: fields['caused_state_change'] === 1,
    schema_version: 1,
  } as unknown as StoredObservation
}
