import { type Reader, sql, type Tx } from '../db/db.ts'

export interface DraftFile {
  /** The name it has in the draft folder. */
  readonly name: string
  readonly content: string
}

export function upsertDraftFile(tx: Tx, proposalId: string, { name, content }: DraftFile): void {
  sql(tx, 'INSERT OR REPLACE INTO draft_files (proposal_id, name, content) VALUES (?, ?, ?)').run(
    proposalId,
    name,
    content,
  )
}

export function listDraftFiles(reader: Reader, proposalId: string): DraftFile[] {
  return sql(
    reader,
    'SELECT name, content FROM draft_files WHERE proposal_id = ? ORDER BY name',
  ).all(proposalId) as DraftFile[]
}

export function deleteDraftFiles(tx: Tx, proposalId: string): void {
  sql(tx, 'DELETE FROM draft_files WHERE proposal_id = ?').run(proposalId)
}
