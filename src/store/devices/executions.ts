import type { Execution, ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { ExecutionState } from '@apprentice/contracts/devices/executions.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage, readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** The requests behind jobs of kind `device.execution`. The job has the same id and the progress. */
export const executions = defineTable(
  'executions',
  {
    execution_id: text(),
    // A statement that sets an indexed column rewrites the index, also if the value stays the same.
    ...columns(text().immutable(), 'owner_user_id', 'command_id', 'serial', 'queued_at'),
    ...columns(text(), 'task_id', 'source'),
    state: text<ExecutionState>(),
    priority: integer(),
    payload: json<Execution>(),
    payload_sha256: text(),
    envelope: json<ResultEnvelope>().optional(),
    current_step_id: text().optional(),
    /** The results of the finished steps. */
    step_results: json<readonly StepResult[]>(),
    started_at: text().optional(),
    settled_at: text().optional(),
    deadline_at: text(),
    goal: text().optional(),
    project_id: text().optional(),
  },
  { key: ['execution_id'] },
)

export type ExecutionRow = RowOf<typeof executions>

export function insertExecution(tx: Tx, row: ExecutionRow): void {
  executions.insert(tx, row)
}

export function updateExecution(tx: Tx, row: ExecutionRow): void {
  executions.update(tx, row)
}

const executionProgress = executions.only('execution_id', 'owner_user_id', 'serial', 'step_results')

/** What an execution has done so far, without its actions. */
export type ExecutionProgress = ReturnType<typeof executionProgress.decode>

export function findExecutionProgress(reader: Reader, id: string): ExecutionProgress | undefined {
  const row = sql(reader, `SELECT ${executionProgress.select} FROM executions WHERE execution_id = ?`).get(id)
  return executionProgress.decodeOptional(row)
}

export function markExecutionStarted(tx: Tx, execution_id: string, started_at: string): void {
  executions.updateColumns(tx, { execution_id, state: 'running', started_at }, ['state', 'started_at'])
}

export function updateCurrentStep(tx: Tx, execution_id: string, current_step_id: string): void {
  executions.updateColumns(tx, { execution_id, current_step_id }, ['current_step_id'])
}

export function updateStepResults(tx: Tx, execution_id: string, step_results: readonly StepResult[]): void {
  executions.updateColumns(tx, { execution_id, step_results }, ['step_results'])
}

export function findExecution(reader: Reader, id: string): ExecutionRow | undefined {
  return executions.find(reader, id)
}

export function findExecutionByCommand(reader: Reader, owner: string, commandId: string): ExecutionRow | undefined {
  const row = sql(reader, 'SELECT * FROM executions WHERE owner_user_id = ? AND command_id = ?').get(owner, commandId)
  return executions.decodeOptional(row)
}

export interface ExecutionFilter {
  readonly state?: string | undefined
  readonly serial?: string | undefined
}

const listedExecution = executions.without('envelope', 'step_results', 'payload_sha256')

/** An execution without its results, which have no bound: a page of them could be larger than the memory. */
export type ListedExecution = ReturnType<typeof listedExecution.decode> & { readonly completed_steps: number }

export function listExecutions(
  reader: Reader,
  owner: string,
  query: PageQuery & ExecutionFilter,
): { executions: ListedExecution[]; total: number } {
  const { state, serial } = query
  const order = 'queued_at DESC, execution_id DESC'
  const select = `${listedExecution.select}, json_array_length(step_results) AS completed_steps`
  const listing = { table: executions.name, select, order, owner, filter: { state, serial } }
  const { rows, total } = listOwnedPage(reader, listing, query)
  const decode = (row: unknown): ListedExecution => ({
    ...listedExecution.decode(row),
    completed_steps: (row as { completed_steps: number }).completed_steps,
  })
  return { executions: rows.map(decode), total }
}

/** The job of an execution has its id. Few jobs are open at a time, and they have an index. */
const OPEN_EXECUTIONS = `jobs JOIN executions ON execution_id = job_id WHERE jobs.state IN ('queued', 'running')`

/** The number of queued and running executions of a device. */
export function countOpenExecutions(reader: Reader, serial: string): number {
  return readNumber(reader, `SELECT count(*) FROM ${OPEN_EXECUTIONS} AND serial = ?`, serial)
}

/** The same for every device, also for devices without any. */
export function countOpenBySerial(reader: Reader): ReadonlyMap<string, number> {
  const rows = sql(
    reader,
    `SELECT devices.serial, count(open.serial) FROM devices
       LEFT JOIN (SELECT serial FROM ${OPEN_EXECUTIONS}) AS open ON open.serial = devices.serial
      GROUP BY devices.serial`,
    'arrays',
  ).all()
  return new Map(rows as [string, number][])
}
