import { EditedFields } from '@apprentice/contracts/learn/proposal-review.ts'
import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import { Failure } from '../../failure/failure.ts'
import { listDraftFiles } from '../../store/proposals/draft-files.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { assertNoActiveRun } from '../validation/start-run.ts'
import { listQuestionsWithAnswers } from '../proposals/draft/clarification.ts'
import { isQuarantined } from '../proposals/allowed-actions.ts'
import { assertInputNames, mergeEdits } from '../proposals/content/edits.ts'
import { readDraftJson } from '../proposals/content/files.ts'
import { findProposalSession, getOwnProposal, moveProposal } from '../proposals/moves.ts'
import { readEdits, type RevisionInput } from '../proposals/content/revisions.ts'
import { type DraftJob, readDraftJob, buildDraftSource, writeProposal } from '../proposals/write-proposal.ts'
import { SETTLED_STATES, type SlotRule } from '../sessions/session-machine.ts'
import { assertSlotFree } from '../sessions/session-moves.ts'
import { type Compile, compileDraft } from '../proposals/draft/skill-draft.ts'

export interface Revision {
  readonly revision_instructions: string
  readonly edited_fields: EditedFields
}

/** The moves back to `draft` from each state. */
const PATHS_TO_DRAFT: Readonly<Partial<Record<ProposalState, readonly ProposalState[]>>> = {
  draft: [],
  testing: ['draft'],
  ready_for_review: ['draft'],
  quarantined: ['draft'],
}

/**
 * Compiles the draft again with the reviewer's edits, which also apply to all later drafts. The previous draft stays
 * in the history. The new one must be tested before it can be approved.
 */
export function reviseProposal(
  ctx: CommandContext,
  proposalId: string,
  sent: Revision,
  { rule, compile = compileDraft }: { rule: SlotRule; compile?: Compile },
): StoredProposal {
  const proposal = getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id)
  assertNoActiveRun(ctx.tx, proposal)
  const chain = findPathToDraft(ctx, proposal)
  const session = findProposalSession(ctx.tx, proposal)
  if (session === undefined) throw insufficientTraces('The session of this proposal no longer exists.')
  if (SETTLED_STATES.includes(session.state)) assertSlotFree(ctx, session.owner_user_id, rule, session)
  const revising = mergeRevision(ctx, proposal, { sent, session })
  const moved = chain.length === 0 ? { proposal, session } : moveProposal(ctx, proposal, chain, { reason: 'revised' })
  const job = buildRevisionJob(ctx, { ...moved, session: moved.session ?? session }, revising)
  const source = buildDraftSource(ctx, job)
  const revised = writeProposal(ctx, job, source, { draft: compile(source), drafted: true })
  if (revised.draft_hash === proposal.draft_hash) assertFieldsEdited(sent)
  recordRevised(ctx, revised, { session, sent })
  return revised
}

/** Words are kept for the history and not interpreted. If they alone ask for a change, the reviewer must be told. */
function assertFieldsEdited({ edited_fields, revision_instructions }: Revision): void {
  if (Object.keys(edited_fields).length > 0) return
  throw new Failure(
    'REVISION_NOT_UNDERSTOOD',
    'These words change nothing in the draft. Name the change in edited_fields.',
    {
      details: {
        field: 'revision_instructions',
        not_understood: revision_instructions.slice(0, 200),
        understood: Object.keys(EditedFields.shape),
      },
    },
  )
}

function findPathToDraft(ctx: CommandContext, proposal: StoredProposal): readonly ProposalState[] {
  const { proposal_state: state } = proposal
  const path = PATHS_TO_DRAFT[state]
  if (path !== undefined) return path
  // An installed proposal can be revised only while its ability is quarantined.
  if ((state === 'installed_private' || state === 'approved') && isQuarantined(ctx.tx, proposal)) {
    return ['quarantined', 'draft']
  }
  const allowed = Object.keys(PATHS_TO_DRAFT)
  throw new Failure('INVALID_LEARN_STATE_TRANSITION', `The proposal is ${state}; this needs ${allowed.join(' or ')}.`, {
    details: { state, allowed },
  })
}

function mergeRevision(
  ctx: CommandContext,
  { proposal_id }: StoredProposal,
  { sent, session }: { sent: Revision; session: StoredSession },
): RevisionInput {
  const { edited_fields } = sent
  if (session.target_kind === 'existing_skill' && edited_fields.proposed_skill_slug !== undefined) {
    throw new Failure(
      'INVALID_REQUEST',
      'edited_fields.proposed_skill_slug cannot change: an improvement keeps the name of its skill.',
      { details: { field: 'edited_fields.proposed_skill_slug' } },
    )
  }
  assertInputNames(listInputNames(ctx, proposal_id), edited_fields.inputs)
  return { ...sent, edits: mergeEdits(readEdits(ctx.tx, proposal_id), edited_fields) }
}

function listInputNames(ctx: CommandContext, proposalId: string): string[] {
  const recipe = readDraftJson(listDraftFiles(ctx.tx, proposalId), 'recipe.json')
  const inputs = (recipe?.['inputs'] ?? []) as readonly { readonly name: string }[]
  return inputs.map(({ name }) => name)
}

function buildRevisionJob(
  ctx: CommandContext,
  { proposal, session }: { proposal: StoredProposal; session: StoredSession },
  revising: RevisionInput,
): DraftJob {
  const job = readDraftJob(ctx, session)
  if (job.demonstration.source_trace_ids.length === 0) {
    throw insufficientTraces('The demonstration was deleted by retention; demonstrate it again.')
  }
  return {
    ...job,
    proposal,
    questions: listQuestionsWithAnswers(ctx.tx, proposal.proposal_id),
    revision: revising,
  }
}

const insufficientTraces = (message: string): Failure => new Failure('INSUFFICIENT_TRACES', message)

function recordRevised(
  ctx: CommandContext,
  { proposal_id, draft_hash }: StoredProposal,
  { session, sent }: { session: StoredSession; sent: Revision },
): void {
  const fields = Object.keys(sent.edited_fields)
  recordReceipt(ctx, 'learn.proposal.revised', {
    proposal_id,
    learn_session_id: session.learn_session_id,
    from_state: session.state,
    to_state: 'drafting_proposal',
    summary: `Draft compiled again${fields.length === 0 ? '' : ` with edited ${fields.join(', ')}`}.`,
    details: {
      revision_instructions: sent.revision_instructions,
      edited_fields: fields,
      draft_hash,
    },
  })
}
