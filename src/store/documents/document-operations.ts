import type { AcrobatCapability } from '@apprentice/contracts/documents/adapter.ts'
import type { DataClass } from '@apprentice/contracts/documents/fields.ts'
import { columns, flag, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const documentOperations = defineTable(
  'document_operations',
  {
    ...columns(text(), 'operation_id', 'owner_user_id'),
    capability: text<AcrobatCapability>(),
    source_ref: text(),
    data_class: text<DataClass>(),
    is_degraded: flag(),
    ...columns(list(), 'output_refs', 'warning_codes'),
    ...columns(text().optional(), 'reason_code', 'receipt_id'),
    created_at: text(),
  },
  { key: ['operation_id'] },
)

export type OperationRow = RowOf<typeof documentOperations>

export function insertOperation(tx: Tx, row: OperationRow): void {
  documentOperations.insert(tx, row)
}

export function findOperation(reader: Reader, id: string): OperationRow | undefined {
  return documentOperations.find(reader, id)
}

export function updateOperation(tx: Tx, row: OperationRow): void {
  documentOperations.update(tx, row)
}

export function listOwnOperations(reader: Reader, owner: string, limit: number): OperationRow[] {
  return sql(
    reader,
    'SELECT * FROM document_operations WHERE owner_user_id = ? ORDER BY created_at DESC, operation_id LIMIT ?',
  )
    .all(owner, limit)
    .map(documentOperations.decode)
}

/** How many operations on a document wait, for a decision or their turn, or run. */
export const countOpenOperations = (reader: Reader, sourceRef: string): number =>
  readNumber(
    reader,
    `SELECT count(*) FROM document_operations JOIN connector_dispatches ON dispatch_id = operation_id
      WHERE source_ref = ? AND status IN ('waiting_for_approval', 'queued', 'running')`,
    sourceRef,
  )

/** Names the receipt of an ended call, if the call is an operation. */
export function setOperationReceipt(tx: Tx, operationId: string, receiptId: string): void {
  sql(tx, 'UPDATE document_operations SET receipt_id = ? WHERE operation_id = ?').run(receiptId, operationId)
}
