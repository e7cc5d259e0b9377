import type { LearningReceipt } from '@apprentice/contracts/learn/receipts.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { type Reader, cached, sql, type Tx } from '../db/db.ts'
import { listOwnedPage } from '../db/owned-page.ts'
import { column, insertInOrder, present, type Row } from '../db/row.ts'

const columns = [
  'receipt_id',
  'owner_user_id',
  'receipt_kind',
  'status',
  'learn_session_id',
  'proposal_id',
  'interpretation_id',
  'validation_run_id',
  'ability_id',
  'saga_id',
  'actor',
  'actor_ref',
  'from_state',
  'to_state',
  'summary',
  'reason',
  'correlation_id',
  'details',
  'created_at',
] as const

const insertText = insertInOrder('receipts', columns)

export function appendReceipt(tx: Tx, owner: string, receipt: LearningReceipt): void {
  const row: Row = { ...receipt, owner_user_id: owner, details: JSON.stringify(receipt.details) }
  sql(tx, insertText).run(columns.map((name) => column(row[name])))
}

export interface ReceiptFilter {
  readonly learn_session_id?: string | undefined
  readonly proposal_id?: string | undefined
  readonly ability_id?: string | undefined
  readonly receipt_kind?: string | undefined
}

export function listReceipts(
  reader: Reader,
  owner: string,
  query: PageQuery & ReceiptFilter,
): { receipts: LearningReceipt[]; total: number } {
  const { learn_session_id, proposal_id, ability_id, receipt_kind } = query
  const filter = { learn_session_id, proposal_id, ability_id, receipt_kind }
  const rows = { table: 'receipts', order: 'position DESC', owner, filter }
  const found = listOwnedPage(reader, rows, query)
  return { receipts: found.rows.map(toReceipt), total: found.total }
}

export function listLatestReceiptIds(reader: Reader, sessionId: string, limit: number): string[] {
  return cached(reader, `latest receipts ${sessionId} ${limit}`, () =>
    sql(
      reader,
      'SELECT receipt_id FROM receipts WHERE learn_session_id = ? ORDER BY position DESC LIMIT ?',
    )
      .all(sessionId, limit)
      .map((row) => String((row as Row)['receipt_id'])),
  )
}

/** Receipts of the live log (`month` undefined) or of one archived month, in order. */
export function listReceiptsSince(
  reader: Reader,
  month: string | undefined,
  { after, limit }: { after: number; limit: number },
): { position: number; entry: LearningReceipt }[] {
  return sql(
    reader,
    'SELECT * FROM receipts WHERE archive_month IS ? AND position > ? ORDER BY position LIMIT ?',
  )
    .all(month ?? null, after, limit)
    .map((row) => ({ position: Number((row as Row)['position']), entry: toReceipt(row) }))
}

function toReceipt(row: unknown): LearningReceipt {
  const { position: _p, owner_user_id: _o, archive_month: _a, ...fields } = present(row as Row)
  return {
    ...fields,
    details: JSON.parse(String(fields['details'])),
    schema_version: 1,
  } as unknown as LearningReceipt
}
