import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import { integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { findString, readNumber } from '../db/queries.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export interface RevisionFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** Every draft of every proposal. The contents of the files are in `draft_contents`. */
export const proposalRevisions = defineTable(
  'proposal_revisions',
  {
    proposal_id: text(),
    revision: integer(),
    author_user_id: text(),
    author_kind: text<'user' | 'agent' | 'system' | 'nightly'>(),
    revision_instructions: text(),
    /** The edits of this revision. */
    edited_fields: json<Readonly<Record<string, unknown>>>(),
    /** All manual edits up to this revision. The draft is generated with them. */
    edits: json<Readonly<Record<string, unknown>>>(),
    draft_hash: text(),
    files: json<readonly RevisionFile[]>(),
    created_at: text(),
  },
  { key: ['proposal_id', 'revision'] },
)

export const draftContents = defineTable('draft_contents', { sha256: text(), content: text() }, { key: ['sha256'] })

export type RevisionRow = RowOf<typeof proposalRevisions>

export function insertRevision(tx: Tx, row: RevisionRow): void {
  proposalRevisions.insert(tx, row)
}

export function findLatestRevision(reader: Reader, proposalId: string): RevisionRow | undefined {
  const row = sql(reader, 'SELECT * FROM proposal_revisions WHERE proposal_id = ? ORDER BY revision DESC LIMIT 1').get(
    proposalId,
  )
  return proposalRevisions.decodeOptional(row)
}

/** Newest first. `before` is the revision before the last one of the page, for a comparison. */
export function listRevisions(
  reader: Reader,
  proposalId: string,
  { page, page_size }: PageQuery,
): { revisions: RevisionRow[]; before: RevisionRow | undefined; total: number } {
  const found = sql(
    reader,
    `SELECT * FROM proposal_revisions WHERE proposal_id = ?
      ORDER BY revision DESC LIMIT ? OFFSET ?`,
  )
    .all(proposalId, page_size + 1, (page - 1) * page_size)
    .map(proposalRevisions.decode)
  const total = readNumber(reader, 'SELECT count(*) FROM proposal_revisions WHERE proposal_id = ?', proposalId)
  return { revisions: found.slice(0, page_size), before: found[page_size], total }
}

export function insertDraftContent(tx: Tx, sha256: string, content: string): void {
  draftContents.insertIfAbsent(tx, { sha256, content })
}

export function findDraftContentByHash(reader: Reader, sha256: string): string | undefined {
  return findString(reader, 'SELECT content FROM draft_contents WHERE sha256 = ?', sha256)
}
