import type { ConnectorReceipt } from '@apprentice/contracts/connectors/receipts.ts'
import { columns, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString, type Positioned, type Span, withPosition } from '../db/queries.ts'
import { defineTable } from '../db/table.ts'

export const connectorReceipts = defineTable(
  'connector_receipts',
  {
    position: integer().notInserted(),
    receipt_id: text(),
    server_id: text().optional(),
    receipt_kind: text<ConnectorReceipt['receipt_kind']>(),
    status: text<ConnectorReceipt['status']>(),
    ...columns(text(), 'created_at', 'summary'),
    ...columns(text().optional(), 'correlation_id', 'auth_profile_id'),
    identity_asserted_kind: text<NonNullable<ConnectorReceipt['identity_asserted_kind']>>().optional(),
    identity_asserted_ref: text().optional(),
  },
  { key: ['position'], constants: { schema_version: 1 } },
)

const receipt = connectorReceipts.without('position')

export function appendReceipt(tx: Tx, row: ConnectorReceipt): void {
  connectorReceipts.insert(tx, row)
}

export interface ReceiptFilter {
  /** Without the receipts of other users' calls than this one's. Absent: all. */
  readonly visible_to?: string | undefined
  readonly server_id?: string | undefined
  readonly receipt_kind?: string | undefined
  readonly correlation_id?: string | undefined
}

/**
 * Receipts before a position, newest first. Those about servers and sign-ins are for everyone; those about a call belong to
 * the user who called, whoever decided.
 */
export function listReceiptsBefore(
  reader: Reader,
  { server_id, receipt_kind, correlation_id, visible_to }: ReceiptFilter,
  { before, limit }: { readonly before: number; readonly limit: number },
): Positioned<ConnectorReceipt>[] {
  return sql(
    reader,
    `SELECT * FROM connector_receipts
      WHERE position < @before AND (@server_id IS NULL OR server_id = @server_id)
        AND (@receipt_kind IS NULL OR receipt_kind = @receipt_kind)
        AND (@correlation_id IS NULL OR correlation_id = @correlation_id)
        AND (@visible_to IS NULL OR receipt_kind NOT IN ('ask_first', 'ask_first_decision')
          OR identity_asserted_ref = @visible_to
          OR correlation_id IN (SELECT correlation_id FROM connector_approvals WHERE user_id = @visible_to))
      ORDER BY position DESC LIMIT @limit`,
  )
    .all({
      before,
      limit,
      server_id: server_id ?? null,
      receipt_kind: receipt_kind ?? null,
      correlation_id: correlation_id ?? null,
      visible_to: visible_to ?? null,
    })
    .map(withPosition(receipt))
}

export function listReceiptsSince(reader: Reader, { after, limit }: Span): Positioned<ConnectorReceipt>[] {
  return sql(reader, 'SELECT * FROM connector_receipts WHERE position > ? ORDER BY position LIMIT ?')
    .all(after, limit)
    .map(withPosition(receipt))
}

export function findLastReceiptId(reader: Reader, serverId: string): string | undefined {
  return findString(
    reader,
    'SELECT receipt_id FROM connector_receipts WHERE server_id = ? ORDER BY position DESC LIMIT 1',
    serverId,
  )
}
