import type { Practice } from '@apprentice/contracts/learn/practice.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** A practice with what only the daemon needs to know of it. */
export interface PracticeRow extends Omit<Practice, 'schema_version' | 'proof'> {
  readonly owner_user_id: string
  readonly policy: TestPolicy
}

const columns = [
  'practice_id',
  'learn_session_id',
  'owner_user_id',
  'goal',
  'application_id',
  'serial',
  'policy',
  'state',
  'outcome',
  'summary',
  'actions_used',
  'max_actions',
  'screens_seen',
  'ways_tried',
  'closed_ways',
  'path',
  'proposal_id',
  'created_at',
  'deadline_at',
  'ended_at',
] as const

const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertPractice(tx: Tx, practice: PracticeRow): void {
  sql(tx, insertInto('practices', columns)).run(toRow(practice))
}

const updateText = `UPDATE practices SET ${columns.map((c) => `${c} = @${c}`).join(', ')}
  WHERE practice_id = @practice_id`

export function updatePractice(tx: Tx, practice: PracticeRow): void {
  sql(tx, updateText).run(toRow(practice))
}

export function findPractice(reader: Reader, practiceId: string): PracticeRow | undefined {
  const row = sql(reader, 'SELECT * FROM practices WHERE practice_id = ?').get(practiceId)
  return row === undefined ? undefined : toPractice(row)
}

export function findLatestPractice(reader: Reader, sessionId: string): PracticeRow | undefined {
  const row = sql(
    reader,
    'SELECT * FROM practices WHERE learn_session_id = ? ORDER BY created_at DESC, rowid DESC LIMIT 1',
  ).get(sessionId)
  return row === undefined ? undefined : toPractice(row)
}

export function appendTry(tx: Tx, practiceId: string, body: object): void {
  sql(tx, 'INSERT INTO practice_tries (practice_id, body) VALUES (?, ?)').run(
    practiceId,
    JSON.stringify(body),
  )
}

/** In the order they were made. */
export function listTries(reader: Reader, practiceId: string): unknown[] {
  return sql(reader, 'SELECT body FROM practice_tries WHERE practice_id = ? ORDER BY position')
    .all(practiceId)
    .map((row) => JSON.parse(String((row as Row)['body'])) as unknown)
}

/** What a search saw goes; that there was a practice, and how it ended, stays on record. */
export function deleteSessionTries(tx: Tx, sessionId: string): void {
  sql(tx, `UPDATE practices SET closed_ways = '[]', path = '[]' WHERE learn_session_id = ?`).run(
    sessionId,
  )
  sql(
    tx,
    `DELETE FROM practice_tries WHERE practice_id IN (
       SELECT practice_id FROM practices WHERE learn_session_id = ?)`,
  ).run(sessionId)
}

export function deleteSessionPractices(tx: Tx, sessionId: string): void {
  deleteSessionTries(tx, sessionId)
  sql(tx, 'DELETE FROM practices WHERE learn_session_id = ?').run(sessionId)
}

function toRow(practice: PracticeRow): Row {
  return bindable({
    ...blank,
    ...practice,
    policy: JSON.stringify(practice.policy),
    closed_ways: JSON.stringify(practice.closed_ways),
    path: JSON.stringify(practice.path),
  })
}

function toPractice(row: unknown): PracticeRow {
  const fields = present(row as Row)
  const parsed = (name: string): unknown => JSON.parse(String(fields[name]))
  return {
    ...fields,
    policy: parsed('policy'),
    closed_ways: parsed('closed_ways'),
    path: parsed('path'),
  } as unknown as PracticeRow
}
