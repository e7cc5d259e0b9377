import type { LearningReceipt } from '@apprentice/contracts/learn/receipts.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, integer, json, text } from '../db/columns.ts'
import { cached } from '../db/cached.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listOwnedPage, listStrings, type Positioned, type Span, withPosition } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const receipts = defineTable(
  'receipts',
  {
    position: integer().notInserted(),
    receipt_id: text(),
    owner_user_id: text(),
    receipt_kind: text<LearningReceipt['receipt_kind']>(),
    status: text<LearningReceipt['status']>(),
    ...columns(text().optional(), 'learn_session_id', 'proposal_id', 'interpretation_id'),
    ...columns(text().optional(), 'validation_run_id', 'ability_id', 'saga_id'),
    actor: text<LearningReceipt['actor']>(),
    actor_ref: text().optional(),
    from_state: text<NonNullable<LearningReceipt['from_state']>>().optional(),
    to_state: text<NonNullable<LearningReceipt['to_state']>>().optional(),
    summary: text(),
    reason: text().optional(),
    correlation_id: text(),
    details: json<LearningReceipt['details']>(),
    created_at: text(),
    /** 'YYYY-MM' once the receipt is in the archive file of that month. */
    archive_month: text().optional().notInserted(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

/** A receipt as clients see it. */
export const learningReceipt = receipts.without('position', 'owner_user_id', 'archive_month')

export function appendReceipt(tx: Tx, owner: string, receipt: LearningReceipt): void {
  receipts.insert(tx, { ...receipt, owner_user_id: owner })
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
  const { rows, total } = listOwnedPage(reader, { table: receipts.name, order: 'position DESC', owner, filter }, query)
  return { receipts: rows.map(learningReceipt.decode), total }
}

export function listLatestReceiptIds(reader: Reader, sessionId: string, limit: number): string[] {
  return cached(reader, `latest receipts ${sessionId} ${limit}`, () =>
    listStrings(
      reader,
      'SELECT receipt_id FROM receipts WHERE learn_session_id = ? ORDER BY position DESC LIMIT ?',
      sessionId,
      limit,
    ),
  )
}

/** Receipts of the live log (`month` undefined) or of one archived month, in order. */
export function listReceiptsSince(
  reader: Reader,
  month: string | undefined,
  { after, limit }: Span,
): Positioned<LearningReceipt>[] {
  return sql(reader, 'SELECT * FROM receipts WHERE archive_month IS ? AND position > ? ORDER BY position LIMIT ?')
    .all(month ?? null, after, limit)
    .map(withPosition(learningReceipt))
}
