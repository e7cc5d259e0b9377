import type { DispatchStatus } from '@apprentice/contracts/connectors/dispatch.ts'
import type { ActionClass } from '@apprentice/contracts/connectors/values.ts'
import { columns, integer, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings, readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorDispatches = defineTable(
  'connector_dispatches',
  {
    ...columns(text(), 'dispatch_id', 'correlation_id', 'user_id', 'server_id', 'tool_name'),
    action_class: text<ActionClass>(),
    status: text<DispatchStatus>(),
    approval_mode: text<'autonomous' | 'ask_first'>(),
    max_duration_ms: integer(),
    /** Absent: questions of the server are declined. */
    on_question: text<'decline' | 'use_defaults'>().optional(),
    ...columns(text().optional(), 'project_id', 'error_code', 'error_message'),
    /** Which policy decisions led to the mode, strictest first. */
    policy_trace: list(),
    created_at: text(),
    ...columns(text().optional(), 'started_at', 'completed_at', 'session_ref', 'why_needed'),
    /** The trace in which mining counts the call. */
    mined_trace_id: text().optional(),
  },
  { key: ['dispatch_id'] },
)

export type DispatchRow = RowOf<typeof connectorDispatches>

export function insertDispatch(tx: Tx, row: DispatchRow): void {
  connectorDispatches.insert(tx, row)
}

export function findDispatch(reader: Reader, id: string): DispatchRow | undefined {
  return connectorDispatches.find(reader, id)
}

export function updateDispatch(tx: Tx, row: DispatchRow): void {
  connectorDispatches.update(tx, row)
}

/** How many calls of a server wait, for a decision or their turn, or run. */
export function countOpenDispatches(reader: Reader, serverId: string): number {
  return readNumber(
    reader,
    `SELECT count(*) FROM connector_dispatches
      WHERE server_id = ? AND status IN ('waiting_for_approval', 'queued', 'running')`,
    serverId,
  )
}

/** The ids of calls that ended before a time and whose result is still kept. */
export function listDispatchesWithOldResults(reader: Reader, before: string, limit: number): string[] {
  return listStrings(
    reader,
    `SELECT dispatch_id FROM connector_dispatches
      WHERE completed_at < ? AND EXISTS (SELECT 1 FROM vault_entries WHERE entry_ref = 'result:' || dispatch_id)
      LIMIT ?`,
    before,
    limit,
  )
}

/** The calls that mining has not counted yet, of one user or of all, by user and time. */
export function listUnminedDispatches(
  reader: Reader,
  { owner, limit }: { readonly owner?: string | undefined; readonly limit: number },
): DispatchRow[] {
  return sql(
    reader,
    `SELECT * FROM connector_dispatches
      WHERE mined_trace_id IS NULL AND (@owner IS NULL OR user_id = @owner)
      ORDER BY user_id, created_at, rowid LIMIT @limit`,
  )
    .all({ owner: owner ?? null, limit })
    .map(connectorDispatches.decode)
}

export function listDispatchesOfTrace(reader: Reader, traceId: string): DispatchRow[] {
  return sql(reader, 'SELECT * FROM connector_dispatches WHERE mined_trace_id = ? ORDER BY created_at, rowid')
    .all(traceId)
    .map(connectorDispatches.decode)
}
