import type { CategoryAssignment } from '@apprentice/contracts/admin/categories.ts'
import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listSince, type Positioned, type Span } from '../db/queries.ts'
import { defineTable, type InsertOf } from '../db/table.ts'

/** Every assignment of an item to a category and every removal, in order. */
export const categoryAssignmentLog = defineTable(
  'category_assignment_log',
  {
    position: integer().notInserted(),
    op: text<'add' | 'remove'>(),
    category_id: text(),
    item_kind: text<CategoryAssignment['item_kind']>(),
    item_id: text(),
    at: text(),
  },
  { key: ['position'] },
)

export type AssignmentLogEntry = InsertOf<typeof categoryAssignmentLog>

export function appendAssignmentLog(tx: Tx, entry: AssignmentLogEntry): void {
  categoryAssignmentLog.insert(tx, entry)
}

const logEntry = categoryAssignmentLog.without('position')

export function listAssignmentLogSince(reader: Reader, span: Span): Positioned<AssignmentLogEntry>[] {
  return listSince(reader, categoryAssignmentLog.name, logEntry, span)
}

/**
 * Deletes up to `limit` entries that have no effect any more: removals, and entries followed by another entry of the
 * same item. Deletes the oldest first, so that a removal is never deleted before the addition it undoes. Returns the
 * number of deleted entries.
 */
export function deleteObsoleteAssignmentLog(tx: Tx, limit: number): number {
  return sql(
    tx,
    `DELETE FROM category_assignment_log WHERE position IN (
       SELECT position FROM category_assignment_log AS line
        WHERE op = 'remove' OR EXISTS (
          SELECT 1 FROM category_assignment_log AS later
           WHERE later.category_id = line.category_id AND later.item_kind = line.item_kind
             AND later.item_id = line.item_id AND later.position > line.position)
        ORDER BY position LIMIT ?)`,
  ).run(limit).changes
}
