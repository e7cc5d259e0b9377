import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, type Row } from '../db/row.ts'

export interface TraceRow {
  readonly trace_id: string
  readonly owner_user_id: string
  readonly learn_session_id?: string | undefined
  /** The trace as JSON text, in the shape execution traces have. */
  readonly body: string
  readonly created_at: string
}

const columns = ['trace_id', 'owner_user_id', 'learn_session_id', 'body', 'created_at'] as const

export function appendTrace(tx: Tx, trace: TraceRow): void {
  sql(tx, insertInto('traces', columns)).run(bindable({ learn_session_id: undefined, ...trace }))
}

export function findTrace(reader: Reader, traceId: string): TraceRow | undefined {
  return sql(reader, 'SELECT * FROM traces WHERE trace_id = ?').get(traceId) as TraceRow | undefined
}

export function listTracesSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: unknown }[] {
  return sql(reader, 'SELECT * FROM traces WHERE position > ? ORDER BY position LIMIT ?')
    .all(after, limit)
    .map((row) => ({
      position: Number((row as Row)['position']),
      entry: JSON.parse(String((row as Row)['body'])),
    }))
}

/** A capture that is forgotten takes its trace with it. */
export function deleteSessionTraces(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM traces WHERE learn_session_id = ?').run(sessionId)
}
