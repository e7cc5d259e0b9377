import type { StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { columns, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { listStrings, readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const documents = defineTable(
  'documents',
  {
    ...columns(text(), 'document_ref', 'owner_user_id'),
    kind: text<StoredDocument['kind']>(),
    file_name: text(),
    media_type: text<StoredDocument['media_type']>(),
    byte_size: integer(),
    content_hash_sha256: text(),
    data_class: text<StoredDocument['data_class']>(),
    operation_id: text().optional(),
    ...columns(text(), 'created_at', 'expires_at'),
  },
  { key: ['document_ref'], constants: { schema_version: 1 } },
)

export type DocumentRow = RowOf<typeof documents>

export function insertDocument(tx: Tx, row: DocumentRow): void {
  documents.insert(tx, row)
}

export function findDocument(reader: Reader, ref: string): DocumentRow | undefined {
  return documents.find(reader, ref)
}

export function deleteDocumentRow(tx: Tx, ref: string): void {
  sql(tx, 'DELETE FROM documents WHERE document_ref = ?').run(ref)
}

interface Filter extends PageQuery {
  readonly owner: string
  readonly kind?: StoredDocument['kind'] | undefined
}

/** A page of the documents of a user, newest first, and how many there are. */
export function listOwnDocuments(
  reader: Reader,
  { owner, kind, page, page_size }: Filter,
): { rows: DocumentRow[]; total: number } {
  const filter = 'owner_user_id = ? AND (? IS NULL OR kind = ?)'
  const values = [owner, kind ?? null, kind ?? null]
  const rows = sql(
    reader,
    `SELECT * FROM documents WHERE ${filter} ORDER BY created_at DESC, document_ref LIMIT ? OFFSET ?`,
  )
    .all(...values, page_size, (page - 1) * page_size)
    .map(documents.decode)
  return { rows, total: readNumber(reader, `SELECT count(*) FROM documents WHERE ${filter}`, ...values) }
}

export const isContentReferenced = (reader: Reader, sha256: string): boolean =>
  readNumber(reader, 'SELECT count(*) FROM documents WHERE content_hash_sha256 = ?', sha256) > 0

/** The documents whose time has passed and that no open operation reads. */
export const listExpiredDocuments = (reader: Reader, now: string, limit: number): string[] =>
  listStrings(
    reader,
    `SELECT document_ref FROM documents WHERE expires_at <= ? AND document_ref NOT IN (
       SELECT source_ref FROM document_operations JOIN connector_dispatches ON dispatch_id = operation_id
        WHERE status IN ('waiting_for_approval', 'queued', 'running'))
     LIMIT ?`,
    now,
    limit,
  )

/** How many bytes of documents a user stores, outputs included. */
export const sumDocumentBytes = (reader: Reader, owner: string): number =>
  readNumber(reader, 'SELECT coalesce(sum(byte_size), 0) FROM documents WHERE owner_user_id = ?', owner)
