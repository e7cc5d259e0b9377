import { integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { type Positioned, type Span, withPosition } from '../db/queries.ts'
import { defineTable, type InsertOf } from '../db/table.ts'

/** Messages for other services, stored until they are delivered. */
export const outbox = defineTable(
  'outbox',
  {
    position: integer().notInserted(),
    outbox_id: text(),
    target: text<'doc8' | 'doc9'>(),
    kind: text<'friction.checkpoint_skipped' | 'repair.checkpoint_failed'>(),
    checkpoint_receipt_id: text(),
    ability_id: text().optional(),
    dispatch_id: text().optional(),
    summary: text(),
    created_at: text(),
    delivered_at: text().optional(),
  },
  { key: ['position'] },
)

export type OutboxEntry = InsertOf<typeof outbox>

export function appendOutboxEntry(tx: Tx, entry: OutboxEntry): void {
  outbox.insert(tx, entry)
}

const outboxEntry = outbox.without('position')

/** The entries for one target, in order. */
export function listOutboxSince(
  reader: Reader,
  target: OutboxEntry['target'],
  { after, limit }: Span,
): Positioned<OutboxEntry>[] {
  return sql(reader, 'SELECT * FROM outbox WHERE target = ? AND position > ? ORDER BY position LIMIT ?')
    .all(target, after, limit)
    .map(withPosition(outboxEntry))
}
