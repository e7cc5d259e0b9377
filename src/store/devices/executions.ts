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
    ...columns(text(), 'execution_id', 'owner_user_id', 'command_id', 'task_id', 'source'),
    serial: text(),
    state: text<ExecutionState>(),
    priority: integer(),
    payload: json<Execution>(),
    payload_sha256: text(),
    envelope: json<ResultEnvelope>().optional(),
    current_step_id: text().optional(),
    /** The results of the finished steps. */
    step_results: json<readonly StepResult[]>(),
    queued_at: text(),
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

export function listExecutions(
  reader: Reader,
  owner: string,
  query: PageQuery & ExecutionFilter,
): { executions: ExecutionRow[]; total: number } {
  const { state, serial } = query
  const order = 'queued_at DESC, execution_id DESC'
  const listing = { table: executions.name, order, owner, filter: { state, serial } }
  const { rows, total } = listOwnedPage(reader, listing, query)
  return { executions: rows.map(executions.decode), total }
}

/** The number of queued and running executions of a device. */
export function countOpenExecutions(reader: Reader, serial: string): number {
  return readNumber(
    reader,
    `SELECT count(*) FROM executions WHERE serial = ? AND state IN ('queued', 'running')`,
    serial,
  )
}

/** The same for every device, also for devices without any. */
export function countOpenBySerial(reader: Reader): ReadonlyMap<string, number> {
  const rows = sql(
    reader,
    `SELECT devices.serial, count(execution_id) FROM devices
       LEFT JOIN executions ON executions.serial = devices.serial AND executions.state IN ('queued', 'running')
      GROUP BY devices.serial`,
    'arrays',
  ).all()
  return new Map(rows as [string, number][])
}
