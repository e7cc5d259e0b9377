import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

export interface EvidenceRow {
  readonly evidence_id: string
  readonly owner_user_id: string
  readonly serial: string
  readonly execution_id?: string | undefined
  readonly learn_session_id?: string | undefined
  readonly media_type: string
  readonly sha256: string
  readonly bytes: number
  readonly created_at: string
}

const columns = [
  'evidence_id',
  'owner_user_id',
  'serial',
  'execution_id',
  'learn_session_id',
  'media_type',
  'sha256',
  'bytes',
  'created_at',
] as const
const blank = Object.fromEntries(columns.map((column) => [column, undefined]))

export function insertEvidence(tx: Tx, row: EvidenceRow): void {
  sql(tx, insertInto('evidence', columns)).run(bindable({ ...blank, ...row }))
}

export function findEvidence(reader: Reader, id: string): EvidenceRow | undefined {
  const row = sql(reader, 'SELECT * FROM evidence WHERE evidence_id = ?').get(id)
  return row === undefined ? undefined : (present(row as Row) as unknown as EvidenceRow)
}

/** Evidence of a capture goes with the capture; the files follow when nothing refers to them any more. */
export function deleteSessionEvidence(tx: Tx, sessionId: string): void {
  sql(tx, 'DELETE FROM evidence WHERE learn_session_id = ?').run(sessionId)
}

export function isReferenced(reader: Reader, sha256: string): boolean {
  return sql(reader, 'SELECT 1 FROM evidence WHERE sha256 = ? LIMIT 1').get(sha256) !== undefined
}
