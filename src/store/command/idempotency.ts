import { type Reader, sql, type Tx } from '../db/db.ts'

export interface RememberedReply {
  readonly user_id: string
  readonly route: string
  readonly request_id: string
  readonly body_sha256: string
  readonly status: number
  readonly reply: string
  readonly created_at: string
  readonly expires_at: string
}

export function findRememberedReply(
  reader: Reader,
  key: Pick<RememberedReply, 'user_id' | 'route' | 'request_id'>,
  now: string,
): RememberedReply | undefined {
  return sql(
    reader,
    `SELECT * FROM idempotency
      WHERE user_id = @user_id AND route = @route AND request_id = @request_id AND expires_at > @now`,
  ).get({ ...key, now }) as RememberedReply | undefined
}

export function insertRememberedReply(tx: Tx, reply: RememberedReply): void {
  sql(
    tx,
    `INSERT OR REPLACE INTO idempotency
       (user_id, route, request_id, body_sha256, status, reply, created_at, expires_at)
     VALUES (@user_id, @route, @request_id, @body_sha256, @status, @reply, @created_at, @expires_at)`,
  ).run(reply)
}

/** Returns how many replies were forgotten, at most `limit`. */
export function deleteExpiredReplies(tx: Tx, now: string, limit: number): number {
  return sql(
    tx,
    `DELETE FROM idempotency WHERE (user_id, route, request_id) IN (
       SELECT user_id, route, request_id FROM idempotency WHERE expires_at <= ? LIMIT ?)`,
  ).run(now, limit).changes
}
