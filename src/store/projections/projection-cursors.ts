import { eventKinds, type EventKind } from '@apprentice/contracts/base/events.ts'
import type { LearningReceipt } from '@apprentice/contracts/learn/receipts.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { ofSession, shown } from '../command/events.ts'
import type { RememberedReply } from '../command/idempotency.ts'
import { present, type Row } from '../db/row.ts'

/** How far a log file has come: the last row in it, its length, its lines. */
export interface MirrorLog {
  readonly position: number
  readonly bytes: number
  readonly line_count: number
}

export function listMirrorCursors(reader: Reader): Map<string, number> {
  const rows = sql(reader, 'SELECT name, position FROM mirror_cursors').all()
  return new Map((rows as { name: string; position: number }[]).map((r) => [r.name, r.position]))
}

export function upsertMirrorCursor(tx: Tx, name: string, position: number): void {
  sql(tx, 'INSERT OR REPLACE INTO mirror_cursors (name, position) VALUES (?, ?)').run(
    name,
    position,
  )
}

export function deleteMirrorCursor(tx: Tx, name: string): void {
  sql(tx, 'DELETE FROM mirror_cursors WHERE name = ?').run(name)
}

export function findMirrorLog(reader: Reader, path: string): MirrorLog | undefined {
  const row = sql(reader, 'SELECT position, bytes, line_count FROM mirror_logs WHERE path = ?').get(
    path,
  )
  return row as MirrorLog | undefined
}

export function listMirrorLogPaths(reader: Reader): string[] {
  return column(reader, 'SELECT path FROM mirror_logs')
}

export function upsertMirrorLog(tx: Tx, path: string, log: MirrorLog): void {
  sql(
    tx,
    `INSERT OR REPLACE INTO mirror_logs (path, position, bytes, line_count)
     VALUES (@path, @position, @bytes, @line_count)`,
  ).run({ path, ...log })
}

export function deleteMirrorLog(tx: Tx, path: string): void {
  sql(tx, 'DELETE FROM mirror_logs WHERE path = ?').run(path)
}

/** The little of an event that tells which files it touches. */
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
  return column(
    reader,
    `SELECT learn_session_id FROM learn_sessions WHERE archived_at IS ${archived ? 'NOT NULL' : 'NULL'}`,
  )
}

/** Of all users and without archived ones. */
export function findLatestChangedSessionId(reader: Reader): string | undefined {
  return column(
    reader,
    `SELECT learn_session_id FROM learn_sessions WHERE archived_at IS NULL
      ORDER BY updated_at DESC, learn_session_id DESC LIMIT 1`,
  )[0]
}

export function findLastSessionEventTime(reader: Reader, sessionId: string): string | undefined {
  return column(
    reader,
    `SELECT created_at FROM events WHERE ${ofSession} ORDER BY seq DESC LIMIT 1`,
    sessionId,
  )[0]
}

export function listProposalIdsByArchive(reader: Reader, archived: boolean): string[] {
  return column(
    reader,
    `SELECT proposal_id FROM proposals WHERE archived_at IS ${archived ? 'NOT NULL' : 'NULL'}`,
  )
}

export function listProposalIdsOfSession(reader: Reader, sessionId: string): string[] {
  return column(reader, 'SELECT proposal_id FROM proposals WHERE learn_session_id = ?', sessionId)
}

export function listInterpretationIdsOfSession(reader: Reader, sessionId: string): string[] {
  return column(
    reader,
    'SELECT interpretation_id FROM interpretations WHERE learn_session_id = ?',
    sessionId,
  )
}

export function listTestPolicyIdsOfSession(reader: Reader, sessionId: string): string[] {
  return column(reader, 'SELECT policy_id FROM test_policies WHERE learn_session_id = ?', sessionId)
}

export function listDraftFileKeys(reader: Reader): string[] {
  return column(reader, "SELECT proposal_id || '/' || name FROM draft_files")
}

export function listDraftNames(reader: Reader, proposalId: string): string[] {
  return column(reader, 'SELECT name FROM draft_files WHERE proposal_id = ?', proposalId)
}

export function findDraftContent(
  reader: Reader,
  proposalId: string,
  name: string,
): string | undefined {
  return column(
    reader,
    'SELECT content FROM draft_files WHERE proposal_id = ? AND name = ?',
    proposalId,
    name,
  )[0]
}

interface Span {
  readonly after: number
  readonly limit: number
}

export function listCheckpointAggregates(reader: Reader): object[] {
  return sql(
    reader,
    'SELECT * FROM checkpoint_aggregates ORDER BY ability_id, checkpoint_id',
  ).all() as object[]
}

export function listArchiveMonths(reader: Reader): string[] {
  return column(
    reader,
    'SELECT DISTINCT archive_month FROM receipts WHERE archive_month IS NOT NULL',
  )
}

/** As the live log is read, but through the index of the months. */
export function listArchivedReceiptsSince(
  reader: Reader,
  month: string,
  { after, limit }: Span,
): { position: number; entry: LearningReceipt }[] {
  return sql(
    reader,
    `SELECT * FROM receipts WHERE archive_month = ? AND archive_month IS NOT NULL AND position > ?
      ORDER BY position LIMIT ?`,
  )
    .all(month, after, limit)
    .map((row) => {
      const { position, owner_user_id: _o, archive_month: _a, ...fields } = present(row as Row)
      const details = JSON.parse(String(fields['details'])) as unknown
      const entry = { ...fields, details, schema_version: 1 }
      return { position: Number(position), entry: entry as unknown as LearningReceipt }
    })
}

/** Executions and scripts tell their own story elsewhere. */
export const isLifecycle = (kind: EventKind): boolean =>
  eventKinds[kind].delivered && !kind.startsWith('execution.') && !kind.startsWith('skill.run.')

const lifecycleKinds = JSON.stringify((Object.keys(eventKinds) as EventKind[]).filter(isLifecycle))

/** Delivered kinds that belong to no session, so that no session's log has them. */
export function listLifecycleEventsSince(
  reader: Reader,
  { after, limit }: Span,
): { position: number; entry: object }[] {
  return sql(
    reader,
    `SELECT seq, timeline_event_id, subject, kind, payload, correlation_id, created_at FROM events
      WHERE seq > ? AND learn_session_id IS NULL AND kind IN (SELECT value FROM json_each(?))
      ORDER BY seq LIMIT ?`,
  )
    .all(after, lifecycleKinds, limit)
    .map((row) => {
      const { kind, payload, ...fields } = row as Row
      const body = JSON.parse(String(payload)) as unknown
      const entry = { ...fields, event_kind: kind, payload: body, schema_version: 1 }
      return { position: Number(fields['seq']), entry }
    })
}

export function countLifecycleEvents(reader: Reader, upTo: number): number {
  const row = sql(
    reader,
    `SELECT count(*) AS n FROM events
      WHERE seq <= ? AND learn_session_id IS NULL AND kind IN (SELECT value FROM json_each(?))`,
  ).get(upTo, lifecycleKinds)
  return (row as { n: number }).n
}

type ReplyKey = Pick<RememberedReply, 'expires_at' | 'user_id' | 'route' | 'request_id'>

/** Remembered replies, those that expire last first, from just below `below` on. */
export function listRepliesBelow(
  reader: Reader,
  below: ReplyKey | undefined,
  limit: number,
): (ReplyKey & { reply: string })[] {
  const { expires_at, user_id, route, request_id } = below ?? highestReply
  return sql(
    reader,
    `SELECT user_id, route, request_id, reply, expires_at FROM idempotency
      WHERE (expires_at, user_id, route, request_id) < (?, ?, ?, ?)
      ORDER BY expires_at DESC, user_id DESC, route DESC, request_id DESC LIMIT ?`,
  ).all(expires_at, user_id, route, request_id, limit) as (ReplyKey & { reply: string })[]
}

const highestReply = { expires_at: '~', user_id: '', route: '', request_id: '' }

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

export function countRowsUpTo(reader: Reader, table: LogTable, upTo: number): number {
  const row = sql(reader, `SELECT count(*) AS n FROM ${table} WHERE position <= ?`).get(upTo)
  return (row as { n: number }).n
}

const counts = {
  // What a timeline shows, as the events are listed for it.
  timeline: `events WHERE ${ofSession} AND seq <= ? AND ${shown}`,
  observations: 'observations WHERE learn_session_id = ? AND position <= ?',
  boundaries: 'boundaries WHERE learn_session_id = ? AND position <= ?',
  outbox: 'outbox WHERE target = ? AND position <= ?',
  receipts: 'receipts WHERE archive_month IS ? AND position <= ?',
  archived_receipts:
    'receipts WHERE archive_month = ? AND archive_month IS NOT NULL AND position <= ?',
} as const

/** The rows of one session, target or month up to a position. */
export function countPartUpTo(
  reader: Reader,
  part: keyof typeof counts,
  of: string | null,
  upTo: number,
): number {
  const row = sql(reader, `SELECT count(*) AS n FROM ${counts[part]}`).get(of, upTo)
  return (row as { n: number }).n
}

function column(reader: Reader, text: string, ...values: string[]): string[] {
  return sql(reader, text)
    .all(...values)
    .map((row) => String(Object.values(row as Row)[0]))
}
