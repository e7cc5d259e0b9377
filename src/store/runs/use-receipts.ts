import type { CapabilityUseReceipt } from '@apprentice/contracts/abilities/runs.ts'
import { columns, integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import type { Positioned } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const useReceipts = defineTable(
  'use_receipts',
  {
    position: integer().notInserted(),
    ...columns(text(), 'receipt_id', 'owner_user_id', 'capability_id'),
    body: json<CapabilityUseReceipt>(),
    created_at: text(),
  },
  { key: ['position'] },
)

export function appendUseReceipt(tx: Tx, owner: string, receipt: CapabilityUseReceipt): void {
  const { receipt_id, capability_id, created_at } = receipt
  useReceipts.insert(tx, {
    receipt_id,
    owner_user_id: owner,
    capability_id,
    body: receipt,
    created_at,
  })
}

export type PositionedReceipt = Positioned<CapabilityUseReceipt>

/** The user's receipts at positions below `cursor`, newest first. */
export function listOwnUseReceipts(
  reader: Reader,
  owner: string,
  { cursor, capability_id, limit }: { cursor?: number; capability_id?: string; limit: number },
): PositionedReceipt[] {
  return sql(
    reader,
    `SELECT * FROM use_receipts
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
    .map((row) => {
      const { position, body } = useReceipts.decode(row)
      return { position, entry: body }
    })
}

export function findOwnUseReceipt(reader: Reader, owner: string, receiptId: string): CapabilityUseReceipt | undefined {
  const row = sql(reader, 'SELECT * FROM use_receipts WHERE receipt_id = ? AND owner_user_id = ?').get(receiptId, owner)
  return useReceipts.decodeOptional(row)?.body
}
