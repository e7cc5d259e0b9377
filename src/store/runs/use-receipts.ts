import type { CapabilityUseReceipt } from '@apprentice/contracts/abilities/runs.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import type { Row } from '../db/row.ts'

export function appendUseReceipt(tx: Tx, owner: string, receipt: CapabilityUseReceipt): void {
  const { receipt_id, capability_id, created_at } = receipt
  sql(
    tx,
    `INSERT INTO use_receipts (receipt_id, owner_user_id, capability_id, body, created_at)
     VALUES (?, ?, ?, ?, ?)`,
  ).run(receipt_id, owner, capability_id, JSON.stringify(receipt), created_at)
}

export interface PositionedReceipt {
  readonly position: number
  readonly entry: CapabilityUseReceipt
}

/** A user's, newest first, from below `cursor` on. */
export function listOwnUseReceipts(
  reader: Reader,
  owner: string,
  { cursor, capability_id, limit }: { cursor?: number; capability_id?: string; limit: number },
): PositionedReceipt[] {
  return sql(
    reader,
    `SELECT position, body FROM use_receipts
     WHERE owner_user_id = @owner AND position < @before
       AND (@capability_id IS NULL OR capability_id = @capability_id)
     ORDER BY position DESC LIMIT @limit`,
  )
    .all({
      owner,
      before: cursor ?? Number.MAX_SAFE_INTEGER,
      capability_id: capability_id ?? null,
      limit,
    })
    .map(positioned)
}

function positioned(row: unknown): PositionedReceipt {
  const { position, body } = row as Row
  return {
    position: Number(position),
    entry: JSON.parse(String(body)) as CapabilityUseReceipt,
  }
}

export function findOwnUseReceipt(
  reader: Reader,
  owner: string,
  receiptId: string,
): CapabilityUseReceipt | undefined {
  const row = sql(
    reader,
    'SELECT body FROM use_receipts WHERE receipt_id = ? AND owner_user_id = ?',
  ).get(receiptId, owner)
  return row === undefined
    ? undefined
    : (JSON.parse(String((row as Row)['body'])) as CapabilityUseReceipt)
}
