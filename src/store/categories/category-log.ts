import type { CategoryAssignment } from '@apprentice/contracts/admin/categories.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { insertInto, type Row } from '../db/row.ts'

/** One line of the log: an item came into a category, or left it. */
export interface AssignmentLogEntry extends Pick<
  CategoryAssignment,
  'category_id' | 'item_kind' | 'item_id'
> {
  readonly op: 'add' | 'remove'
  readonly at: string
}

const columns = ['op', 'category_id', 'item_kind', 'item_id', 'at'] as const

export function appendAssignmentLog(tx: Tx, entry: AssignmentLogEntry): void {
  sql(tx, insertInto('category_assignment_log', columns)).run(entry)
}

export function listAssignmentLogSince(
  reader: Reader,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: AssignmentLogEntry }[] {
  return sql(
    reader,
    'SELECT * FROM category_assignment_log WHERE position > ? ORDER BY position LIMIT ?',
  )
    .all(after, limit)
    .map((row) => {
      const { position, ...entry } = row as Row
      return { position: Number(position), entry: entry as unknown as AssignmentLogEntry }
    })
}

/**
 * Drops up to `limit` lines that no longer say anything: those an item's later line overtook, and removals.
 * Oldest first, so that a removal never goes before the addition it undid. Returns how many went.
 */
export function deleteOvertakenAssignmentLog(tx: Tx, limit: number): number {
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
