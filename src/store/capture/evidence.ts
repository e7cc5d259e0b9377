import { columns, integer, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/** Screenshots and UI trees. The bytes are files named by their hash. */
export const evidence = defineTable(
  'evidence',
  {
    ...columns(text(), 'evidence_id', 'owner_user_id', 'serial'),
    execution_id: text().optional(),
    learn_session_id: text().optional(),
    media_type: text(),
    sha256: text(),
    bytes: integer(),
    created_at: text(),
  },
  { key: ['evidence_id'] },
)

export type EvidenceRow = RowOf<typeof evidence>

export function insertEvidence(tx: Tx, row: EvidenceRow): void {
  evidence.insert(tx, row)
}

export function findEvidence(reader: Reader, id: string): EvidenceRow | undefined {
  return evidence.find(reader, id)
}

/** A file is deleted later, when no row refers to it any more. */
export function deleteSessionEvidence(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM evidence WHERE learn_session_id = ?').run(sessionId)
}

export function isEvidenceReferenced(reader: Reader, sha256: string): boolean {
  return sql(reader, 'SELECT 1 FROM evidence WHERE sha256 = ? LIMIT 1').get(sha256) !== undefined
}
