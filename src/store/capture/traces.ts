import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

/** Finished captures, in the format of execution traces. */
export const traces = defineTable(
  'traces',
  {
    position: integer().notInserted(),
    trace_id: text(),
    owner_user_id: text(),
    learn_session_id: text().optional(),
    body: text(),
    created_at: text(),
  },
  { key: ['position'] },
)

const trace = traces.without('position')
/** `body` is JSON text. */
export type TraceRow = ReturnType<typeof trace.decode>

export function appendTrace(tx: Tx, row: TraceRow): void {
  traces.insert(tx, row)
}

export function findTrace(reader: Reader, traceId: string): TraceRow | undefined {
  return trace.decodeOptional(sql(reader, 'SELECT * FROM traces WHERE trace_id = ?').get(traceId))
}

export function listTracesSince(reader: Reader, span: Span): Positioned<unknown>[] {
  return listSince(reader, traces.name, trace, span).map(({ position, entry }) => ({
    position,
    entry: JSON.parse(entry.body) as unknown,
  }))
}

export function deleteSessionTraces(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM traces WHERE learn_session_id = ?').run(sessionId)
}
