import type {
  Execution,
  ResultEnvelope,
  StepResult,
} from '@apprentice/contracts/devices/execution.ts'
import type { ExecutionState } from '@apprentice/contracts/devices/executions.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage } from '../db/owned-page.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

export interface ExecutionRow {
  readonly execution_id: string
  readonly owner_user_id: string
  readonly command_id: string
  readonly task_id: string
  readonly source: string
  readonly serial: string
  readonly goal?: string | undefined
  readonly project_id?: string | undefined
  readonly state: ExecutionState
  readonly priority: number
  readonly payload: Execution
  readonly payload_sha256: string
  readonly envelope?: ResultEnvelope | undefined
  readonly current_step_id?: string | undefined
  /** Results of the steps done so far. */
  readonly step_results: readonly StepResult[]
  readonly queued_at: string
  readonly started_at?: string | undefined
  readonly settled_at?: string | undefined
  readonly deadline_at: string
}

const columns = [
  'execution_id',
  'owner_user_id',
  'command_id',
  'task_id',
  'source',
  'serial',
  'goal',
  'project_id',
  'state',
  'priority',
  'payload',
  'payload_sha256',
  'envelope',
  'current_step_id',
  'step_results',
  'queued_at',
  'started_at',
  'settled_at',
  'deadline_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertExecution(tx: Tx, row: ExecutionRow): void {
  sql(tx, insertInto('executions', columns)).run(toRow(row))
}

const updateText = `UPDATE executions SET ${columns.map((c) => `${c} = @${c}`).join(', ')}
  WHERE execution_id = @execution_id`

export function updateExecution(tx: Tx, row: ExecutionRow): void {
  sql(tx, updateText).run(toRow(row))
}

export function findExecution(reader: Reader, id: string): ExecutionRow | undefined {
  const row = sql(reader, 'SELECT * FROM executions WHERE execution_id = ?').get(id)
  return row === undefined ? undefined : toExecution(row)
}

export function findExecutionByCommand(
  reader: Reader,
  owner: string,
  commandId: string,
): ExecutionRow | undefined {
  const row = sql(
    reader,
    'SELECT * FROM executions WHERE owner_user_id = ? AND command_id = ?',
  ).get(owner, commandId)
  return row === undefined ? undefined : toExecution(row)
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
  const filter = { state, serial }
  const found = listOwnedPage(reader, { table: 'executions', order, owner, filter }, query)
  return { executions: found.rows.map(toExecution), total: found.total }
}

/** Executions of a device that wait or run. */
export function countOpenExecutions(reader: Reader, serial: string): number {
  const row = sql(
    reader,
    `SELECT count(*) AS n FROM executions WHERE serial = ? AND state IN ('queued', 'running')`,
  ).get(serial)
  return (row as { n: number }).n
}

/** The same for every device, those without any too. */
export function countOpenBySerial(reader: Reader): ReadonlyMap<string, number> {
  const rows = sql(
    reader,
    `SELECT devices.serial, count(execution_id) FROM devices
       LEFT JOIN executions ON executions.serial = devices.serial AND executions.state IN ('queued', 'running')
      GROUP BY devices.serial`,
  )
    .raw()
    .all()
  return new Map(rows as [string, number][])
}

function toRow(row: ExecutionRow): Row {
  return bindable({
    ...blank,
    ...row,
    payload: JSON.stringify(row.payload),
    step_results: JSON.stringify(row.step_results),
    envelope: row.envelope === undefined ? undefined : JSON.stringify(row.envelope),
  })
}

function toExecution(row: unknown): ExecutionRow {
  const fields = present(row as Row)
  return {
    ...fields,
    payload: JSON.parse(String(fields['payload'])),
    step_results: JSON.parse(String(fields['step_results'])),
    ...(typeof fields['envelope'] === 'string' ? { envelope: JSON.parse(fields['envelope']) } : {}),
  } as unknown as ExecutionRow
}
