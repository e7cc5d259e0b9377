import type { Reader } from '../../store/db/db.ts'
import { findInterpretation, listInterpretationIds } from '../../store/proposals/interpretations.ts'
import {
  countRowsUpTo,
  findDraftContent,
  listDraftFileKeys,
  listDraftNames,
  listSessionInterpretationIds,
  listProposalIdsByArchive,
  listSessionProposalIds,
} from '../../store/projections/projection-cursors.ts'
import { findProposal, toPublicProposal } from '../../store/proposals/proposals.ts'
import { listDependenciesSince } from '../../store/proposals/proposal-dependencies.ts'
import { listAnswersSince, listQuestionsSince } from '../../store/proposals/questions.ts'
import type { Changes } from '../engine/changes.ts'
import { formatDocument } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection } from '../engine/projection.ts'

const interpretations = documentProjection({
  path: 'learning/interpretations/<interpretation_id>.json',
  keys: listInterpretationIds,
  touched: ({ sessions }, reader) => [...sessions].flatMap((id) => listSessionInterpretationIds(reader, id)),
  render: (reader, id) => {
    const interpretation = findInterpretation(reader, id)
    return interpretation === undefined ? undefined : formatDocument(interpretation)
  },
})

const proposals = documentProjection({
  path: 'learning/proposals/<proposal_id>.json',
  keys: (reader) => listProposalIdsByArchive(reader, false),
  touched: listChangedProposals,
  render: (reader, id) => renderProposal(reader, id, false),
})

const archivedProposals = documentProjection({
  path: 'learning/archived/proposals/<proposal_id>.json',
  keys: (reader) => listProposalIdsByArchive(reader, true),
  touched: listChangedProposals,
  render: (reader, id) => renderProposal(reader, id, true),
})

/** The usual files of a draft. They are checked also when a draft no longer has them, so that they are removed. */
const DRAFT_NAMES = [
  'SKILL.md',
  'manifest.json',
  'graph.json',
  'trigger-tests.json',
  'recipe.json',
  'review.json',
  'lint.json',
]

const drafts = documentProjection({
  path: 'learning/proposals/<proposal_id>/draft/<name>',
  keys: listDraftFileKeys,
  touched: (changes, reader) =>
    listChangedProposals(changes, reader).flatMap((id) => {
      const names = new Set([...DRAFT_NAMES, ...listDraftNames(reader, id)])
      return [...names].map((name) => `${id}/${name}`)
    }),
  render: (reader, key) => {
    const slash = key.indexOf('/')
    return findDraftContent(reader, key.slice(0, slash), key.slice(slash + 1))
  },
})

const questions = logProjection({
  path: 'learning/questions.jsonl',
  rows: (reader, _key, span) => listQuestionsSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'questions', upTo),
  shrinks: mayRemoveRows,
})

const answers = logProjection({
  path: 'learning/answers.jsonl',
  rows: (reader, _key, span) => listAnswersSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'answers', upTo),
  shrinks: mayRemoveRows,
})

const dependencies = logProjection({
  path: 'learning/dependencies.jsonl',
  rows: (reader, _key, span) => listDependenciesSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'proposal_dependencies', upTo),
  // A revised draft may have fewer dependencies.
  shrinks: (changes) => changes.kinds.has('learn.proposal.changed') || mayRemoveRows(changes),
})

export const proposalProjections: readonly Projection[] = [
  interpretations,
  proposals,
  archivedProposals,
  drafts,
  questions,
  answers,
  dependencies,
]

function listChangedProposals({ sessions, proposals }: Changes, reader: Reader): string[] {
  const ofSessions = [...sessions].flatMap((id) => listSessionProposalIds(reader, id))
  return [...new Set([...proposals, ...ofSessions])]
}

function renderProposal(reader: Reader, id: string, archived: boolean): string | undefined {
  const proposal = findProposal(reader, id)
  if (proposal === undefined || (proposal.archived_at !== undefined) !== archived) return undefined
  const { owner_user_id, archived_at, revision, draft_hash } = proposal
  const { active_validation_run_id, saga_id } = proposal
  return formatDocument({
    ...toPublicProposal(proposal),
    _ec: {
      owner_user_id,
      archived_at,
      revision,
      draft_hash,
      active_validation_run_id,
      saga_id,
    },
  })
}

function mayRemoveRows({ kinds }: Changes): boolean {
  return kinds.has('learn.session.deleted') || kinds.has('learn.proposal.archived')
}
