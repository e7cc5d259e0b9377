import { type Reader, sql, type Tx } from '../db/db.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { Row } from '../db/row.ts'

export interface RevisionFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

export interface RevisionRow {
  readonly proposal_id: string
  readonly revision: number
  readonly author_user_id: string
  readonly author_kind: 'user' | 'agent' | 'system' | 'nightly'
  readonly revision_instructions: string
  /** What this revision changed. */
  readonly edited_fields: Readonly<Record<string, unknown>>
  /** All that was changed by hand up to it, as the draft is made with it. */
  readonly edits: Readonly<Record<string, unknown>>
  readonly draft_hash: string
  readonly files: readonly RevisionFile[]
  readonly created_at: string
}

export function insertRevision(tx: Tx, row: RevisionRow): void {
  sql(
    tx,
    `INSERT INTO proposal_revisions (proposal_id, revision, author_user_id, author_kind,
       revision_instructions, edited_fields, edits, draft_hash, files, created_at)
     VALUES (@proposal_id, @revision, @author_user_id, @author_kind, @revision_instructions,
       @edited_fields, @edits, @draft_hash, @files, @created_at)`,
  ).run({
    ...row,
    edited_fields: JSON.stringify(row.edited_fields),
    edits: JSON.stringify(row.edits),
    files: JSON.stringify(row.files),
  })
}

export function findLatestRevision(reader: Reader, proposalId: string): RevisionRow | undefined {
  const row = sql(
    reader,
    'SELECT * FROM proposal_revisions WHERE proposal_id = ? ORDER BY revision DESC LIMIT 1',
  ).get(proposalId)
  return row === undefined ? undefined : toRevision(row)
}

/** Newest first, and the one before the last of them, which it is compared with. */
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
    .map(toRevision)
  const count = sql(
    reader,
    'SELECT count(*) AS total FROM proposal_revisions WHERE proposal_id = ?',
  ).get(proposalId)
  return {
    revisions: found.slice(0, page_size),
    before: found[page_size],
    total: (count as { total: number }).total,
  }
}

export function keepDraftContent(tx: Tx, sha256: string, content: string): void {
  sql(tx, 'INSERT OR IGNORE INTO draft_contents (sha256, content) VALUES (?, ?)').run(
    sha256,
    content,
  )
}

export function findKeptContent(reader: Reader, sha256: string): string | undefined {
  const row = sql(reader, 'SELECT content FROM draft_contents WHERE sha256 = ?').get(sha256)
  return row === undefined ? undefined : String((row as Row)['content'])
}

function toRevision(row: unknown): RevisionRow {
  const fields = row as Row
  return {
    ...fields,
    edited_fields: JSON.parse(String(fields['edited_fields'])),
    edits: JSON.parse(String(fields['edits'])),
    files: JSON.parse(String(fields['files'])),
  } as unknown as RevisionRow
}
