import { columns, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const idempotency = defineTable(
  'idempotency',
  {
    ...columns(text(), 'user_id', 'route', 'request_id', 'body_sha256'),
    status: integer(),
    ...columns(text(), 'reply', 'created_at', 'expires_at'),
  },
  { key: ['user_id', 'route', 'request_id'] },
)

export type StoredReply = RowOf<typeof idempotency>
type ReplyKey = Pick<StoredReply, 'user_id' | 'route' | 'request_id'>

export function findStoredReply(
  reader: Reader,
  { user_id, route, request_id }: ReplyKey,
  now: string,
): StoredReply | undefined {
  const reply = idempotency.find(reader, user_id, route, request_id)
  return reply !== undefined && reply.expires_at > now ? reply : undefined
}

/** Replaces an expired reply of the same request id. */
export function insertStoredReply(tx: Tx, reply: StoredReply): void {
  idempotency.upsert(tx, reply)
}

/** Returns the number of deleted replies, at most `limit`. */
export function deleteExpiredReplies(tx: Tx, now: string, limit: number): number {
  return sql(
    tx,
    `DELETE FROM idempotency WHERE (user_id, route, request_id) IN (
       SELECT user_id, route, request_id FROM idempotency WHERE expires_at <= ? LIMIT ?)`,
  ).run(now, limit).changes
}
