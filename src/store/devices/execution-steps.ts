import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { ObservedStep } from '../../knowledge/steps/observed-step.ts'
import { json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listPage } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** An observed step of an execution. Its trace id is the id of the execution. */
export interface StoredExecutionStep extends Omit<ObservedStep, 'trace_id' | 'before' | 'after'> {
  /** The action of the execution. */
  readonly action_id: string
  /** The last part of the resource id of its target. */
  readonly target?: string | undefined
}

/** Observed steps of executions. They are deleted when they expire. */
export const executionSteps = defineTable(
  'execution_steps',
  {
    execution_id: text(),
    owner_user_id: text(),
    steps: json<readonly StoredExecutionStep[]>(),
    kept_at: text(),
  },
  { key: ['execution_id'] },
)

/** The executions that a session learns from. */
export const learnedExecutions = defineTable(
  'learned_executions',
  { learn_session_id: text(), execution_id: text() },
  { key: ['learn_session_id', 'execution_id'] },
)

export type ExecutionSteps = RowOf<typeof executionSteps>

export function insertExecutionSteps(tx: Tx, steps: ExecutionSteps): void {
  executionSteps.insert(tx, steps)
}

export function findExecutionSteps(reader: Reader, id: string): ExecutionSteps | undefined {
  return executionSteps.find(reader, id)
}

/** The user's settled executions with stored steps, newest first. */
export function listOwnExecutionSteps(
  reader: Reader,
  owner: string,
  query: PageQuery,
): { executions: ExecutionSteps[]; total: number } {
  const from = `execution_steps AS stored JOIN executions USING (execution_id)
    WHERE stored.owner_user_id = @owner AND settled_at IS NOT NULL`
  const order = 'kept_at DESC, execution_id DESC'
  const { rows, total } = listPage(reader, { select: 'stored.*', from, order }, { owner }, query)
  return { executions: rows.map(executionSteps.decode), total }
}

export function insertLearnedExecution(tx: Tx, sessionId: string, executionId: string): void {
  const row = { learn_session_id: sessionId, execution_id: executionId }
  learnedExecutions.insertIfAbsent(tx, row)
}

export function deleteLearnedExecutions(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM learned_executions WHERE learn_session_id = ?').run(sessionId)
}

export interface ExpiredExecutionQuery {
  /** Steps stored before this time have expired. */
  readonly stored_before: string
  /** Steps that a session learned from have expired if the session ended before this time. */
  readonly session_finished_before: string
  /** States of sessions that still need the steps they learn from. */
  readonly holding: readonly string[]
  readonly limit: number
}

/**
 * Executions whose steps have expired. An unfinished session, or one that retains its observations, protects the
 * executions it learns from.
 */
export function listExpiredExecutions(
  reader: Reader,
  { stored_before, session_finished_before, holding, limit }: ExpiredExecutionQuery,
): string[] {
  return sql(
    reader,
    `SELECT execution_id FROM execution_steps AS stored
      WHERE (kept_at < @stored_before OR EXISTS (
              SELECT 1 FROM learned_executions AS used JOIN learn_sessions USING (learn_session_id)
               WHERE used.execution_id = stored.execution_id AND terminal_at < @session_finished_before))
        AND NOT EXISTS (
              SELECT 1 FROM learned_executions AS used JOIN learn_sessions USING (learn_session_id)
               WHERE used.execution_id = stored.execution_id
                 AND (retain_observations = 1 OR state IN (SELECT value FROM json_each(@holding))))
      LIMIT @limit`,
    'values',
  ).all({
    stored_before,
    session_finished_before,
    holding: JSON.stringify(holding),
    limit,
  }) as string[]
}

/** Deletes the steps and the rows of their UI trees. A file is deleted later, when no row refers to it any more. */
export function deleteExecutionSteps(tx: Tx, executionId: string): void {
  sql(tx, 'DELETE FROM execution_steps WHERE execution_id = ?').run(executionId)
  sql(
    tx,
    `DELETE FROM evidence
      WHERE execution_id = ? AND media_type = 'application/xml' AND learn_session_id IS NULL`,
  ).run(executionId)
}
