import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import type { ObservedStepBody } from '../../knowledge/interpret/read/evidence.ts'
import type { Row } from '../db/row.ts'

/** A step of an execution as it was seen, with where the screens around it are kept. */
export interface KeptStep extends ObservedStepBody {
  readonly event_id: string
  /** The action of the execution that did it. */
  readonly action_id: string
  readonly action_label: string
  /** What was acted on, by what the app calls it and not by what it shows. */
  readonly target?: string | undefined
  readonly before_ref?: string | undefined
  readonly after_ref?: string | undefined
  readonly caused_state_change: boolean
  readonly created_at: string
}

export interface ExecutionSteps {
  readonly execution_id: string
  readonly owner_user_id: string
  readonly steps: readonly KeptStep[]
  readonly kept_at: string
}

export function insertExecutionSteps(tx: Tx, kept: ExecutionSteps): void {
  sql(
    tx,
    `INSERT INTO execution_steps (execution_id, owner_user_id, steps, kept_at)
     VALUES (@execution_id, @owner_user_id, @steps, @kept_at)`,
  ).run({ ...kept, steps: JSON.stringify(kept.steps) })
}

export function findExecutionSteps(reader: Reader, id: string): ExecutionSteps | undefined {
  const row = sql(reader, 'SELECT * FROM execution_steps WHERE execution_id = ?').get(id)
  return row === undefined ? undefined : toSteps(row)
}

/** The user's executions something was kept of, newest first. */
export function listOwnExecutionSteps(
  reader: Reader,
  owner: string,
  { page, page_size }: PageQuery,
): { kept: ExecutionSteps[]; total: number } {
  const rows = sql(
    reader,
    `SELECT kept.* FROM execution_steps AS kept JOIN executions USING (execution_id)
      WHERE kept.owner_user_id = ? AND settled_at IS NOT NULL
      ORDER BY kept_at DESC, execution_id DESC LIMIT ? OFFSET ?`,
  ).all(owner, page_size, (page - 1) * page_size)
  const count = sql(
    reader,
    `SELECT count(*) AS total FROM execution_steps AS kept JOIN executions USING (execution_id)
      WHERE kept.owner_user_id = ? AND settled_at IS NOT NULL`,
  ).get(owner)
  return { kept: rows.map(toSteps), total: (count as { total: number }).total }
}

export function insertLearnedExecution(tx: Tx, sessionId: string, executionId: string): void {
  sql(
    tx,
    'INSERT OR IGNORE INTO learned_executions (learn_session_id, execution_id) VALUES (?, ?)',
  ).run(sessionId, executionId)
}

export function deleteLearnedExecutions(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM learned_executions WHERE learn_session_id = ?').run(sessionId)
}

export interface Forgettable {
  /** Kept before this, or learned from by a session that ended before the other. */
  readonly kept_before: string
  readonly ended_before: string
  /** States of sessions that still need what they learn from. */
  readonly holding: readonly string[]
  readonly limit: number
}

/** Executions whose screens are no longer needed. A session under way, or told to keep them, holds its own. */
export function listForgettableExecutions(reader: Reader, rules: Forgettable): string[] {
  return sql(
    reader,
    `SELECT execution_id FROM execution_steps AS kept
      WHERE (kept_at < @kept_before OR EXISTS (
              SELECT 1 FROM learned_executions AS used JOIN learn_sessions USING (learn_session_id)
               WHERE used.execution_id = kept.execution_id AND terminal_at < @ended_before))
        AND NOT EXISTS (
              SELECT 1 FROM learned_executions AS used JOIN learn_sessions USING (learn_session_id)
               WHERE used.execution_id = kept.execution_id
                 AND (retain_observations = 1 OR state IN (SELECT value FROM json_each(@holding))))
      LIMIT @limit`,
  )
    .all({ ...rules, holding: JSON.stringify(rules.holding) })
    .map((row) => String((row as Row)['execution_id']))
}

/** Forgets what was seen; the files follow when nothing refers to them any more. */
export function deleteExecutionSteps(tx: Tx, executionId: string): void {
  sql(tx, 'DELETE FROM execution_steps WHERE execution_id = ?').run(executionId)
  sql(
    tx,
    `DELETE FROM evidence
      WHERE execution_id = ? AND media_type = 'application/xml' AND learn_session_id IS NULL`,
  ).run(executionId)
}

function toSteps(row: unknown): ExecutionSteps {
  const fields = row as Row
  return { ...fields, steps: JSON.parse(String(fields['steps'])) } as unknown as ExecutionSteps
}
