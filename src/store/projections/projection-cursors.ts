import { EVENT_KINDS, type EventKind } from '@apprentice/contracts/base/events.ts'
import type { LearningReceipt } from '@apprentice/contracts/learn/receipts.ts'
import { checkpointAggregates } from '../abilities/checkpoint-aggregates.ts'
import { events, IN_TIMELINE, OF_SESSION } from '../command/events.ts'
import { idempotency, type StoredReply } from '../command/idempotency.ts'
import { learningReceipt } from '../command/receipts.ts'
import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString, listStrings, type Positioned, readNumber, type Span, withPosition } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

/** The position of the last change that each projection has processed. */
export const projectionCursors = defineTable('mirror_cursors', { name: text(), position: integer() }, { key: ['name'] })

/** The state of each log file: the position of its last entry, its length and its number of lines. */
export const projectionLogs = defineTable(
  'mirror_logs',
  { path: text(), position: integer(), bytes: integer(), line_count: integer() },
  { key: ['path'] },
)

const projectionLog = projectionLogs.without('path')
export type ProjectionLog = ReturnType<typeof projectionLog.decode>

export function listProjectionCursors(reader: Reader): Map<string, number> {
  const rows = sql(reader, 'SELECT * FROM mirror_cursors').all().map(projectionCursors.decode)
  return new Map(rows.map(({ name, position }) => [name, position]))
}

export function upsertProjectionCursor(tx: Tx, name: string, position: number): void {
  projectionCursors.upsert(tx, { name, position })
}

export function deleteProjectionCursor(tx: Tx, name: string): void {
  sql(tx, 'DELETE FROM mirror_cursors WHERE name = ?').run(name)
}

export function findProjectionLog(reader: Reader, path: string): ProjectionLog | undefined {
  return projectionLog.decodeOptional(sql(reader, 'SELECT * FROM mirror_logs WHERE path = ?').get(path))
}

export function listProjectionLogPaths(reader: Reader): string[] {
  return listStrings(reader, 'SELECT path FROM mirror_logs')
}

export function upsertProjectionLog(tx: Tx, path: string, log: ProjectionLog): void {
  projectionLogs.upsert(tx, { ...log, path })
}

export function deleteProjectionLog(tx: Tx, path: string): void {
  sql(tx, 'DELETE FROM mirror_logs WHERE path = ?').run(path)
}

/** The part of an event that determines which files it affects. */
export interface ChangeRow {
  readonly seq: number
  readonly kind: EventKind
  readonly subject: string
  readonly learn_session_id: string | null
  readonly proposal_id: string | null
}

export function listChangesSince(reader: Reader, seq: number, limit: number): ChangeRow[] {
  return sql(
    reader,
    `SELECT seq, kind, subject, learn_session_id, payload ->> '$.proposal_id' AS proposal_id
       FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
  ).all(seq, limit) as ChangeRow[]
}

export function listSessionIdsByArchive(reader: Reader, archived: boolean): string[] {
  return listStrings(
    reader,
    `SELECT learn_session_id FROM learn_sessions WHERE archived_at IS ${archived ? 'NOT NULL' : 'NULL'}`,
  )
}

/** The last changed session of all users, except archived ones. */
export function findLatestChangedSessionId(reader: Reader): string | undefined {
  return findString(
    reader,
    `SELECT learn_session_id FROM learn_sessions WHERE archived_at IS NULL
      ORDER BY updated_at DESC, learn_session_id DESC LIMIT 1`,
  )
}

export function findLastSessionEventTime(reader: Reader, sessionId: string): string | undefined {
  return findString(reader, `SELECT created_at FROM events WHERE ${OF_SESSION} ORDER BY seq DESC LIMIT 1`, sessionId)
}

export function listProposalIdsByArchive(reader: Reader, archived: boolean): string[] {
  return listStrings(reader, `SELECT proposal_id FROM proposals WHERE archived_at IS ${archived ? 'NOT NULL' : 'NULL'}`)
}

export function listSessionProposalIds(reader: Reader, sessionId: string): string[] {
  return listStrings(reader, 'SELECT proposal_id FROM proposals WHERE learn_session_id = ?', sessionId)
}

export function listSessionInterpretationIds(reader: Reader, sessionId: string): string[] {
  return listStrings(reader, 'SELECT interpretation_id FROM interpretations WHERE learn_session_id = ?', sessionId)
}

export function listSessionTestPolicyIds(reader: Reader, sessionId: string): string[] {
  return listStrings(reader, 'SELECT policy_id FROM test_policies WHERE learn_session_id = ?', sessionId)
}

export function listDraftFileKeys(reader: Reader): string[] {
  return listStrings(reader, "SELECT proposal_id || '/' || name FROM draft_files")
}

export function listDraftNames(reader: Reader, proposalId: string): string[] {
  return listStrings(reader, 'SELECT name FROM draft_files WHERE proposal_id = ?', proposalId)
}

export function findDraftContent(reader: Reader, proposalId: string, name: string): string | undefined {
  return findString(reader, 'SELECT content FROM draft_files WHERE proposal_id = ? AND name = ?', proposalId, name)
}

export function listCheckpointAggregates(reader: Reader): object[] {
  return sql(reader, 'SELECT * FROM checkpoint_aggregates ORDER BY ability_id, checkpoint_id')
    .all()
    .map(checkpointAggregates.decode)
}

export function listArchiveMonths(reader: Reader): string[] {
  return listStrings(reader, 'SELECT DISTINCT archive_month FROM receipts WHERE archive_month IS NOT NULL')
}

/** The receipts of one archived month. Repeating `IS NOT NULL` selects the partial index on the month. */
export function listArchivedReceiptsSince(
  reader: Reader,
  month: string,
  { after, limit }: Span,
): Positioned<LearningReceipt>[] {
  return sql(
    reader,
    `SELECT * FROM receipts WHERE archive_month = ? AND archive_month IS NOT NULL AND position > ?
      ORDER BY position LIMIT ?`,
  )
    .all(month, after, limit)
    .map(withPosition(learningReceipt))
}

/** Delivered kinds, except those of executions and skill runs, which have their own records. */
export const isLifecycleKind = (kind: EventKind): boolean =>
  EVENT_KINDS[kind].delivered && !kind.startsWith('execution.') && !kind.startsWith('skill.run.')

const lifecycleKinds = JSON.stringify((Object.keys(EVENT_KINDS) as EventKind[]).filter(isLifecycleKind))
const lifecycleEvent = events.only(
  'seq',
  'timeline_event_id',
  'subject',
  'kind',
  'payload',
  'correlation_id',
  'created_at',
)

/** Lifecycle events without a session, which the log of no session contains. */
export function listLifecycleEventsSince(reader: Reader, { after, limit }: Span): Positioned<object>[] {
  return sql(
    reader,
    `SELECT ${lifecycleEvent.select} FROM events
      WHERE seq > ? AND learn_session_id IS NULL AND kind IN (SELECT value FROM json_each(?))
      ORDER BY seq LIMIT ?`,
  )
    .all(after, lifecycleKinds, limit)
    .map((row) => {
      const { kind, payload, ...fields } = lifecycleEvent.decode(row)
      const entry = { ...fields, event_kind: kind, payload, schema_version: 1 }
      return { position: fields.seq, entry }
    })
}

export function countLifecycleEvents(reader: Reader, upTo: number): number {
  return readNumber(
    reader,
    `SELECT count(*) FROM events
      WHERE seq <= ? AND learn_session_id IS NULL AND kind IN (SELECT value FROM json_each(?))`,
    upTo,
    lifecycleKinds,
  )
}

type ReplyKey = Pick<StoredReply, 'expires_at' | 'user_id' | 'route' | 'request_id'>

const AFTER_ALL_REPLIES: ReplyKey = { expires_at: '~', user_id: '', route: '', request_id: '' }
const replyEntry = idempotency.only('user_id', 'route', 'request_id', 'reply', 'expires_at')

/** Stored replies in descending order of their expiry, starting after `below`. */
export function listRepliesBelow(
  reader: Reader,
  below: ReplyKey | undefined,
  limit: number,
): (ReplyKey & { reply: string })[] {
  const { expires_at, user_id, route, request_id } = below ?? AFTER_ALL_REPLIES
  return sql(
    reader,
    `SELECT ${replyEntry.select} FROM idempotency
      WHERE (expires_at, user_id, route, request_id) < (?, ?, ?, ?)
      ORDER BY expires_at DESC, user_id DESC, route DESC, request_id DESC LIMIT ?`,
  )
    .all(expires_at, user_id, route, request_id, limit)
    .map(replyEntry.decode)
}

type LogTable =
  | 'questions'
  | 'answers'
  | 'proposal_dependencies'
  | 'validation_run_log'
  | 'validation_steps'
  | 'checkpoint_receipts'
  | 'traces'
  | 'category_assignment_log'
  | 'config_intents'
  | 'skill_import_events'
  | 'connector_receipts'

export function countRowsUpTo(reader: Reader, table: LogTable, upTo: number): number {
  return readNumber(reader, `SELECT count(*) FROM ${table} WHERE position <= ?`, upTo)
}

/** Tables and conditions of the logs that contain only a part of a table. */
const LOG_PARTS = {
  timeline: `events WHERE ${OF_SESSION} AND seq <= ? AND ${IN_TIMELINE}`,
  observations: 'observations WHERE learn_session_id = ? AND position <= ?',
  boundaries: 'boundaries WHERE learn_session_id = ? AND position <= ?',
  outbox: 'outbox WHERE target = ? AND position <= ?',
  receipts: 'receipts WHERE archive_month IS ? AND position <= ?',
  archived_receipts: 'receipts WHERE archive_month = ? AND archive_month IS NOT NULL AND position <= ?',
} as const

/** The number of rows of one session, target or month up to a position. */
export function countPartUpTo(reader: Reader, part: keyof typeof LOG_PARTS, of: string | null, upTo: number): number {
  return readNumber(reader, `SELECT count(*) FROM ${LOG_PARTS[part]}`, of, upTo)
}
