import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/** Something another service is to be told, kept until it takes it. */
export interface OutboxEntry {
  readonly outbox_id: string
  readonly target: 'doc8' | 'doc9'
  readonly kind: 'friction.checkpoint_skipped' | 'repair.checkpoint_failed'
  readonly checkpoint_receipt_id: string
  readonly ability_id?: string | undefined
  readonly dispatch_id?: string | undefined
  readonly summary: string
  readonly created_at: string
  readonly delivered_at?: string | undefined
}

const columns = [
  'outbox_id',
  'target',
  'kind',
  'checkpoint_receipt_id',
  'ability_id',
  'dispatch_id',
  'summary',
  'created_at',
  'delivered_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function appendOutboxEntry(tx: Tx, entry: OutboxEntry): void {
  sql(tx, insertInto('outbox', columns)).run(bindable({ ...blank, ...entry }))
}

/** The entries for one target, in order. */
export function listOutboxSince(
  reader: Reader,
  target: OutboxEntry['target'],
  { after, limit }: { after: number; limit: number },
): { position: number; entry: OutboxEntry }[] {
  return sql(
    reader,
    'SELECT * FROM outbox WHERE target = ? AND position > ? ORDER BY position LIMIT ?',
  )
    .all(target, after, limit)
    .map((row) => {
      const { position, ...entry } = present(row as Row)
      return { position: Number(position), entry: entry as unknown as OutboxEntry }
    })
}
