import type { EditedFields, ProposalRevision } from '@apprentice/contracts/learn/proposal-review.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { Reader } from '../../store/db/db.ts'
import type { DraftFile } from '../../store/proposals/draft-files.ts'
import {
  findKeptContent,
  findLatestRevision,
  insertRevision,
  keepDraftContent,
  listRevisions,
  type RevisionRow,
} from '../../store/proposals/proposal-revisions.ts'
import type { CommandContext } from '../command/context.ts'
import { compareFiles, type Contents } from './diff.ts'
import type { ProposalEdits } from './edits.ts'
import { draftHash, fileFacts, isOfDraft } from './files.ts'

/** Why a draft was made, and with which changes by hand. */
export interface Revising {
  readonly revision_instructions: string
  readonly edited_fields: EditedFields
  /** All changes so far, these included. */
  readonly edits: ProposalEdits
}

export const firstDraft: Revising = { revision_instructions: '', edited_fields: {}, edits: {} }

/** Keeps a draft for good, beside those before it. Returns its hash. */
export function recordRevision(
  ctx: CommandContext,
  proposalId: string,
  { files, revising }: { files: readonly DraftFile[]; revising: Revising },
): string {
  const own = files.filter(isOfDraft)
  for (const file of own) keepDraftContent(ctx.tx, fileFacts(file).sha256, file.content)
  const draft_hash = draftHash(own)
  insertRevision(ctx.tx, {
    ...revising,
    edits: { ...revising.edits },
    proposal_id: proposalId,
    revision: (findLatestRevision(ctx.tx, proposalId)?.revision ?? 0) + 1,
    author_user_id: ctx.actor.user_id,
    author_kind: ctx.actor.kind,
    draft_hash,
    files: own.map(fileFacts),
    created_at: ctx.now,
  })
  return draft_hash
}

/** What was changed by hand so far. */
export const editsOf = (reader: Reader, proposalId: string): ProposalEdits =>
  findLatestRevision(reader, proposalId)?.edits ?? {}

/** Newest first, each with what it changed. */
export function proposalRevisions(
  reader: Reader,
  proposalId: string,
  query: PageQuery,
): { revisions: ProposalRevision[]; total: number } {
  const { revisions, before, total } = listRevisions(reader, proposalId, query)
  return {
    revisions: revisions.map((row, at) => {
      const previous = revisions[at + 1] ?? before
      const { edits: _, proposal_id: _id, ...fields } = row
      const diffs =
        previous === undefined
          ? []
          : compareFiles(contentsOf(reader, previous), contentsOf(reader, row))
      return { ...fields, files: [...row.files], diffs, schema_version: 1 }
    }),
    total,
  }
}

const contentsOf =
  (reader: Reader, { files }: RevisionRow): Contents =>
  (name) => {
    const file = files.find((one) => one.name === name)
    return file && findKeptContent(reader, file.sha256)
  }
