import type { WorkflowBoundary } from '@apprentice/contracts/learn/observation.ts'
import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { type Positioned, type Span, withPosition } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const boundaries = defineTable(
  'boundaries',
  {
    learn_session_id: text(),
    /** The order within the session. */
    position: integer().notInserted(),
    boundary_id: text(),
    kind: text<WorkflowBoundary['kind']>(),
    source: text<WorkflowBoundary['source']>(),
    label: text().optional(),
    source_event_id: text().optional(),
    step_kind_hint: text<NonNullable<WorkflowBoundary['step_kind_hint']>>().optional(),
    created_at: text(),
  },
  { key: ['learn_session_id', 'position'], constants: { schema_version: 1 } },
)

const workflowBoundary = boundaries.without('position')
/** Each boundary gets the next position of its session. */
const INSERT_NEXT = boundaries.insertText({
  position: '(SELECT coalesce(max(position), 0) + 1 FROM boundaries WHERE learn_session_id = ?)',
})

export function appendBoundary(tx: Tx, boundary: WorkflowBoundary): void {
  sql(tx, INSERT_NEXT).run(boundary.learn_session_id, ...boundaries.encode(boundary))
}

export function listBoundaries(reader: Reader, sessionId: string): WorkflowBoundary[] {
  return listBoundariesSince(reader, sessionId, { after: 0, limit: 100_000 }).map(({ entry }) => entry)
}

export function listBoundariesSince(
  reader: Reader,
  sessionId: string,
  { after, limit }: Span,
): Positioned<WorkflowBoundary>[] {
  return sql(reader, 'SELECT * FROM boundaries WHERE learn_session_id = ? AND position > ? ORDER BY position LIMIT ?')
    .all(sessionId, after, limit)
    .map(withPosition(workflowBoundary))
}

export function deleteBoundaries(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM boundaries WHERE learn_session_id = ?').run(sessionId)
}
