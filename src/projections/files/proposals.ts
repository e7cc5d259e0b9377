import type { Reader } from '../../store/db/db.ts'
import { findInterpretation, listInterpretationIds } from '../../store/proposals/interpretations.ts'
import {
  countRowsUpTo,
  findDraftContent,
  listDraftFileKeys,
  listDraftNames,
  listInterpretationIdsOfSession,
  listProposalIdsByArchive,
  listProposalIdsOfSession,
} from '../../store/projections/projection-cursors.ts'
import { findProposal, publicProposal } from '../../store/proposals/proposals.ts'
import { listDependenciesSince } from '../../store/proposals/proposal-dependencies.ts'
import { listAnswersSince, listQuestionsSince } from '../../store/proposals/questions.ts'
import type { Changes } from '../engine/changes.ts'
import { documentText } from '../engine/json-text.ts'
import { documentProjection, logProjection, type Projection } from '../engine/projection.ts'

const interpretations = documentProjection({
  path: 'learning/interpretations/<interpretation_id>.json',
  keys: listInterpretationIds,
  touched: ({ sessions }, reader) =>
    [...sessions].flatMap((id) => listInterpretationIdsOfSession(reader, id)),
  render: (reader, id) => {
    const interpretation = findInterpretation(reader, id)
    return interpretation === undefined ? undefined : documentText(interpretation)
  },
})

const proposals = documentProjection({
  path: 'learning/proposals/<proposal_id>.json',
  keys: (reader) => listProposalIdsByArchive(reader, false),
  touched: changedProposals,
  render: (reader, id) => renderProposal(reader, id, false),
})

const archivedProposals = documentProjection({
  path: 'learning/archived/proposals/<proposal_id>.json',
  keys: (reader) => listProposalIdsByArchive(reader, true),
  touched: changedProposals,
  render: (reader, id) => renderProposal(reader, id, true),
})

/** The files a draft usually has: one that is no longer there must be noticed too. */
const draftNames = [
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
    changedProposals(changes, reader).flatMap((id) => {
      const names = new Set([...draftNames, ...listDraftNames(reader, id)])
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
  shrinks: mayForget,
})

const answers = logProjection({
  path: 'learning/answers.jsonl',
  rows: (reader, _key, span) => listAnswersSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'answers', upTo),
  shrinks: mayForget,
})

const dependencies = logProjection({
  path: 'learning/dependencies.jsonl',
  rows: (reader, _key, span) => listDependenciesSince(reader, span),
  count: (reader, _key, upTo) => countRowsUpTo(reader, 'proposal_dependencies', upTo),
  // A draft that is made again may need less than before.
  shrinks: (changes) => changes.kinds.has('learn.proposal.changed') || mayForget(changes),
})

export const proposalMirrors: readonly Projection[] = [
  interpretations,
  proposals,
  archivedProposals,
  drafts,
  questions,
  answers,
  dependencies,
]

function changedProposals({ sessions, proposals }: Changes, reader: Reader): string[] {
  const ofSessions = [...sessions].flatMap((id) => listProposalIdsOfSession(reader, id))
  return [...new Set([...proposals, ...ofSessions])]
}

function renderProposal(reader: Reader, id: string, archived: boolean): string | undefined {
  const proposal = findProposal(reader, id)
  if (proposal === undefined || (proposal.archived_at !== undefined) !== archived) return undefined
  const { owner_user_id, archived_at, revision, draft_hash } = proposal
  const { active_validation_run_id, saga_id } = proposal
  return documentText({
    ...publicProposal(proposal),
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

function mayForget({ kinds }: Changes): boolean {
  return kinds.has('learn.session.deleted') || kinds.has('learn.proposal.archived')
}
