import type { EditedFields } from '@apprentice/contracts/learn/proposal-review.ts'
import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import { Failure } from '../../failure/failure.ts'
import { listDraftFiles } from '../../store/proposals/draft-files.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt } from '../command/ledger.ts'
import { assertNoActiveRun } from '../validation/start-run.ts'
import { listAskedQuestions } from '../proposals/clarification.ts'
import { isQuarantined } from '../proposals/allowed-actions.ts'
import { assertInputNames, mergeEdits } from '../proposals/edits.ts'
import { readDraftJson } from '../proposals/files.ts'
import { findProposalSession, getOwnProposal, moveProposal } from '../proposals/moves.ts'
import { editsOf, type Revising } from '../proposals/revisions.ts'
import { type DraftJob, draftJob, sourceOf, writeProposal } from '../proposals/writing.ts'
import { settledStates, type SlotRule } from '../sessions/session-machine.ts'
import { assertSlotFree } from '../sessions/session-moves.ts'
import { type Compile, compileDraft } from '../proposals/skill-draft.ts'

export interface Revision {
  readonly revision_instructions: string
  readonly edited_fields: EditedFields
}

/** The way back to a draft from each state that has one. */
const waysToDraft: Readonly<Partial<Record<ProposalState, readonly ProposalState[]>>> = {
  draft: [],
  testing: ['draft'],
  ready_for_review: ['draft'],
  quarantined: ['draft'],
}

/**
 * Makes the draft again with what a reviewer changed by hand, which is kept for every draft after it. The one before
 * stays in the history; the new one has to be tested before anybody can decide on it.
 */
export function reviseProposal(
  ctx: CommandContext,
  proposalId: string,
  sent: Revision,
  { rule, compile = compileDraft }: { rule: SlotRule; compile?: Compile },
): StoredProposal {
  const proposal = getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id)
  assertNoActiveRun(ctx.tx, proposal)
  const chain = wayBack(ctx, proposal)
  const session = findProposalSession(ctx.tx, proposal)
  if (session === undefined) throw nothingLeft('This proposal came from no session that is left.')
  if (settledStates.includes(session.state))
    assertSlotFree(ctx, session.owner_user_id, rule, session)
  const revising = mergeRevision(ctx, proposal, { sent, session })
  const moved =
    chain.length === 0
      ? { proposal, session }
      : moveProposal(ctx, proposal, chain, { reason: 'revised' })
  const job = revisionJob(ctx, { ...moved, session: moved.session ?? session }, revising)
  const source = sourceOf(ctx, job)
  const revised = writeProposal(ctx, job, source, { draft: compile(source), drafted: true })
  recordRevised(ctx, revised, { session, sent })
  return revised
}

function wayBack(ctx: CommandContext, proposal: StoredProposal): readonly ProposalState[] {
  const { proposal_state: state } = proposal
  const way = waysToDraft[state]
  if (way !== undefined) return way
  // What was installed is revised only once it was taken out of use, and by way of that.
  if ((state === 'installed_private' || state === 'approved') && isQuarantined(ctx.tx, proposal)) {
    return ['quarantined', 'draft']
  }
  const allowed = Object.keys(waysToDraft)
  throw new Failure(
    'INVALID_LEARN_STATE_TRANSITION',
    `The proposal is ${state}; this needs ${allowed.join(' or ')}.`,
    { details: { state, allowed } },
  )
}

function mergeRevision(
  ctx: CommandContext,
  { proposal_id }: StoredProposal,
  { sent, session }: { sent: Revision; session: StoredSession },
): Revising {
  const { edited_fields } = sent
  if (session.target_kind === 'existing_skill' && edited_fields.proposed_skill_slug !== undefined) {
    throw new Failure(
      'INVALID_REQUEST',
      'edited_fields.proposed_skill_slug cannot change: the skill that is improved keeps its name.',
      { details: { field: 'edited_fields.proposed_skill_slug' } },
    )
  }
  assertInputNames(inputNames(ctx, proposal_id), edited_fields.inputs)
  return { ...sent, edits: mergeEdits(editsOf(ctx.tx, proposal_id), edited_fields) }
}

function inputNames(ctx: CommandContext, proposalId: string): string[] {
  const recipe = readDraftJson(listDraftFiles(ctx.tx, proposalId), 'recipe.json')
  const inputs = (recipe?.['inputs'] ?? []) as readonly { readonly name: string }[]
  return inputs.map(({ name }) => name)
}

function revisionJob(
  ctx: CommandContext,
  { proposal, session }: { proposal: StoredProposal; session: StoredSession },
  revising: Revising,
): DraftJob {
  const job = draftJob(ctx, session)
  if (job.shown.source_trace_ids.length === 0) {
    throw nothingLeft('What was demonstrated is forgotten by now; show it again.')
  }
  return { ...job, proposal, asked: listAskedQuestions(ctx.tx, proposal.proposal_id), revising }
}

const nothingLeft = (why: string): Failure => new Failure('INSUFFICIENT_TRACES', why)

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
    summary: `Draft made again${fields.length === 0 ? '' : ` with other ${fields.join(', ')}`}.`,
    details: {
      revision_instructions: sent.revision_instructions,
      edited_fields: fields,
      draft_hash,
    },
  })
}
