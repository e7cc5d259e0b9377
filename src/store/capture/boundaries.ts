import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { column, present, type Row } from '../db/row.ts'

const columns = [
  'boundary_id',
  'learn_session_id',
  'kind',
  'source',
  'label',
  'source_event_id',
  'step_kind_hint',
  'created_at',
] as const
/** Each takes the next position of its session. */
const insertText = `INSERT INTO boundaries (position, ${columns.join(', ')}) VALUES (
  (SELECT coalesce(max(position), 0) + 1 FROM boundaries WHERE learn_session_id = ?),
  ${columns.map(() => '?').join(', ')})`

export function appendBoundary(tx: Tx, boundary: WorkflowBoundary): void {
  const values = columns.map((name) => column(boundary[name]))
  sql(tx, insertText).run(boundary.learn_session_id, values)
}

export function listBoundaries(reader: Reader, sessionId: string): WorkflowBoundary[] {
  return listBoundariesSince(reader, sessionId, { after: 0, limit: 100_000 }).map(
    ({ entry }) => entry,
  )
}

export function listBoundariesSince(
  reader: Reader,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: WorkflowBoundary }[] {
  return sql(
    reader,
    'SELECT * FROM boundaries WHERE learn_session_id = ? AND position > ? ORDER BY position LIMIT ?',
  )
    .all(sessionId, after, limit)
    .map((row) => {
      const { position, ...fields } = present(row as Row)
      return {
        position: Number(position),
        entry: { ...fields, schema_version: 1 } as unknown as WorkflowBoundary,
      }
    })
}

export function deleteBoundaries(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM boundaries WHERE learn_session_id = ?').run(sessionId)
}
