import type { EditedFields, ProposalRevision } from '@apprentice/contracts/learn/proposal-review.ts'
import type { PageQuery } from '@apprentice/contracts/base/page.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { DraftFile } from '../../../store/proposals/draft-files.ts'
import {
  findDraftContentByHash,
  findLatestRevision,
  insertRevision,
  insertDraftContent,
  listRevisions,
  type RevisionRow,
} from '../../../store/proposals/proposal-revisions.ts'
import type { CommandContext } from '../../command/context.ts'
import { compareFiles, type Contents } from './diff.ts'
import type { ProposalEdits } from './edits.ts'
import { hashDraft, describeFile, isDraftPart } from './files.ts'

/** The reason for a revision and the edits it was compiled with. */
export interface RevisionInput {
  readonly revision_instructions: string
  readonly edited_fields: EditedFields
  /** All edits so far, including these. */
  readonly edits: ProposalEdits
}

export const FIRST_DRAFT: RevisionInput = {
  revision_instructions: '',
  edited_fields: {},
  edits: {},
}

/** Adds a draft to the revision history. Returns its hash. */
export function recordRevision(
  ctx: CommandContext,
  proposalId: string,
  { files, revision }: { files: readonly DraftFile[]; revision: RevisionInput },
): string {
  const own = files.filter(isDraftPart)
  for (const file of own) insertDraftContent(ctx.tx, describeFile(file).sha256, file.content)
  const draft_hash = hashDraft(own)
  insertRevision(ctx.tx, {
    ...revision,
    edits: { ...revision.edits },
    proposal_id: proposalId,
    revision: (findLatestRevision(ctx.tx, proposalId)?.revision ?? 0) + 1,
    author_user_id: ctx.actor.user_id,
    author_kind: ctx.actor.kind,
    draft_hash,
    files: own.map(describeFile),
    created_at: ctx.now,
  })
  return draft_hash
}

/** All edits of reviewers so far. */
export const readEdits = (reader: Reader, proposalId: string): ProposalEdits =>
  findLatestRevision(reader, proposalId)?.edits ?? {}

/** Newest first, each with the diff to the revision before it. */
export function listProposalRevisions(
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
        previous === undefined ? [] : compareFiles(readContents(reader, previous), readContents(reader, row))
      return { ...fields, files: [...row.files], diffs, schema_version: 1 }
    }),
    total,
  }
}

const readContents =
  (reader: Reader, { files }: RevisionRow): Contents =>
  (name) => {
    const file = files.find((one) => one.name === name)
    return file && findDraftContentByHash(reader, file.sha256)
  }
