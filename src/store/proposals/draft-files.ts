import { text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable } from '../db/table.ts'

/** The files of a draft. `name` is the name in the draft folder. */
export const draftFiles = defineTable(
  'draft_files',
  { proposal_id: text(), name: text(), content: text() },
  { key: ['proposal_id', 'name'] },
)

const draftFile = draftFiles.without('proposal_id')
export type DraftFile = ReturnType<typeof draftFile.decode>

export function upsertDraftFile(tx: Tx, proposalId: string, { name, content }: DraftFile): void {
  draftFiles.upsert(tx, { proposal_id: proposalId, name, content })
}

export function listDraftFiles(reader: Reader, proposalId: string): DraftFile[] {
  return sql(reader, 'SELECT * FROM draft_files WHERE proposal_id = ? ORDER BY name')
    .all(proposalId)
    .map(draftFile.decode)
}

export function deleteDraftFiles(tx: Tx, proposalId: string): void {
  sql(tx, 'DELETE FROM draft_files WHERE proposal_id = ?').run(proposalId)
}
