import type { Practice } from '@apprentice/contracts/learn/practice.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { columns, integer, json, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Searches for a way to a goal. The job with the same id executes the search. */
export const practices = defineTable(
  'practices',
  {
    ...columns(text(), 'practice_id', 'learn_session_id', 'owner_user_id', 'goal'),
    ...columns(text(), 'application_id', 'serial'),
    policy: json<TestPolicy>(),
    state: text<Practice['state']>(),
    outcome: text<NonNullable<Practice['outcome']>>().optional(),
    summary: text().optional(),
    ...columns(integer(), 'actions_used', 'max_actions', 'screens_seen', 'ways_tried'),
    closed_ways: list<Practice['closed_ways'][number]>(),
    path: list(),
    proposal_id: text().optional(),
    created_at: text(),
    deadline_at: text(),
    ended_at: text().optional(),
  },
  { key: ['practice_id'] },
)

/** The observations and attempts of a search, in order. A search can be resumed from them. */
export const practiceTries = defineTable(
  'practice_tries',
  { position: integer().notInserted(), practice_id: text(), body: json<object>() },
  { key: ['position'] },
)

export type PracticeRow = RowOf<typeof practices>

export function insertPractice(tx: Tx, practice: PracticeRow): void {
  practices.insert(tx, practice)
}

export function updatePractice(tx: Tx, practice: PracticeRow): void {
  practices.update(tx, practice)
}

export function findPractice(reader: Reader, practiceId: string): PracticeRow | undefined {
  return practices.find(reader, practiceId)
}

export function findLatestPractice(reader: Reader, sessionId: string): PracticeRow | undefined {
  const row = sql(
    reader,
    'SELECT * FROM practices WHERE learn_session_id = ? ORDER BY created_at DESC, rowid DESC LIMIT 1',
  ).get(sessionId)
  return practices.decodeOptional(row)
}

export function appendTry(tx: Tx, practiceId: string, body: object): void {
  practiceTries.insert(tx, { practice_id: practiceId, body })
}

/** In the order in which they were made. */
export function listTries(reader: Reader, practiceId: string): unknown[] {
  return sql(reader, 'SELECT * FROM practice_tries WHERE practice_id = ? ORDER BY position')
    .all(practiceId)
    .map((row) => practiceTries.decode(row).body)
}

/** Deletes what the searches of a session observed. The practices and their outcomes stay. */
export function deleteSessionTries(tx: Tx, sessionId: string): void {
  sql(tx, `UPDATE practices SET closed_ways = '[]', path = '[]' WHERE learn_session_id = ?`).run(sessionId)
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
