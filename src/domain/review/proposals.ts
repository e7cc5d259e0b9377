import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendAnswer } from '../../store/proposals/questions.ts'
import type { CommandContext } from '../command/context.ts'
import type { EvidencedRun } from '../../knowledge/interpret/read/evidence.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { testAutomatically } from '../validation/automatic-run.ts'
import {
  askQuestions,
  countUnanswered,
  listAskedQuestions,
  mustAsk,
  readAnswer,
} from '../proposals/clarification.ts'
import { oneLine } from '../../knowledge/text/plain-text.ts'
import {
  cancelFailedDraft,
  type DraftJob,
  draftJob,
  sourceOf,
  writeProposal,
} from '../proposals/writing.ts'
import { assertState } from '../sessions/session-machine.ts'
import { getOwnSession, moveSession, saveSession } from '../sessions/session-moves.ts'
import { type Compile, compileDraft, type SkillDraft } from '../proposals/skill-draft.ts'

/** One demonstration by a person is enough; only patterns found without one need more. */
const tracesNeeded = 1

export const draftableStates: readonly LearnSessionState[] = [
  'stopped',
  'reviewing',
  'awaiting_questions',
]

export interface DraftOutcome {
  readonly session: StoredSession
  readonly proposal_id: string
  /** The draft could not be made. What is written then must stay, so this is told, not thrown. */
  readonly failed: boolean
}

/** Drafts with what was watched on a device, which is read before the command begins. */
export const compileWith =
  (runs: readonly EvidencedRun[]): Compile =>
  (source) =>
    compileDraft({ ...source, runs })

/** Drafts a skill from what was shown, or asks what is missing. */
export function generateProposal(
  ctx: CommandContext,
  sessionId: string,
  compile: Compile = compileDraft,
): DraftOutcome {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, draftableStates)
  const job = draftJob(ctx, session)
  if (job.shown.source_trace_ids.length < tracesNeeded) throw insufficientTraces()
  const unanswered = countUnanswered(job.asked)
  if (session.state === 'awaiting_questions' && unanswered > 0) throw stillOpen(unanswered)
  const asks = job.asked.length === 0 && mustAsk(job)
  return advance(ctx, job, { to: asks ? 'awaiting_questions' : 'drafting_proposal', compile })
}

export interface GivenAnswer {
  readonly question_id: string
  readonly answer_text: string
}

export type AnswerNextAction = 'more_questions' | 'generate_proposal' | 'ready_for_review'

/** Takes answers in; with the last one a draft is made, unless the person wants to start that themselves. */
export function answerQuestions(
  ctx: CommandContext,
  sessionId: string,
  given: readonly GivenAnswer[],
  compile: Compile = compileDraft,
): DraftOutcome & { remaining_questions: number; next_action: AnswerNextAction } {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, ['awaiting_questions'])
  const before = draftJob(ctx, session)
  const proposal_id = keepAnswers(ctx, before, given)
  const asked = listAskedQuestions(ctx.tx, proposal_id)
  const remaining_questions = countUnanswered(asked)
  const to = remaining_questions > 0 ? undefined : afterAnswers(before)
  recordReceipt(ctx, 'learn.proposal.questions_answered', {
    learn_session_id: sessionId,
    proposal_id,
    summary: `${given.length} answers taken, ${remaining_questions} questions still open.`,
    details: { answered: given.length, remaining_questions },
  })
  const outcome = advance(ctx, { ...before, asked }, { to, compile })
  return { ...outcome, remaining_questions, next_action: nextAction(outcome.session, to) }
}

/** Who asked to be asked starts the draft themselves; a workflow found in past runs has nobody who would. */
const afterAnswers = ({ session, mined }: DraftJob): LearnSessionState =>
  session.build_policy === 'ask_before_build' && mined === undefined
    ? 'reviewing'
    : 'drafting_proposal'

/** A draft is tested before it can be reviewed, so answering alone never makes one ready. */
function nextAction(session: StoredSession, to: LearnSessionState | undefined): AnswerNextAction {
  if (to === undefined) return 'more_questions'
  return session.state === 'ready_for_review' ? 'ready_for_review' : 'generate_proposal'
}

/** All or none: an answer to an unknown question refuses the others with it. */
function keepAnswers(
  ctx: CommandContext,
  { proposal, asked }: DraftJob,
  given: readonly GivenAnswer[],
): string {
  const fields = new Map(asked.map(({ question_id, field }) => [question_id, field]))
  const kept = given.map(({ question_id, answer_text }) => {
    const field = fields.get(question_id)
    if (field === undefined) {
      throw new Failure('QUESTION_NOT_FOUND', `No question ${question_id} in this proposal.`)
    }
    return { question_id, answer: readAnswer(field, answer_text) }
  })
  if (proposal === undefined) throw new Failure('QUESTION_NOT_FOUND', 'Nothing has been asked.')
  const { proposal_id } = proposal
  for (const answer of kept) {
    appendAnswer(ctx.tx, { ...answer, proposal_id, created_at: ctx.now, schema_version: 1 })
  }
  return proposal_id
}

/** Compiles what is known now and moves on; without `to` the session stays where it is. */
function advance(
  ctx: CommandContext,
  job: DraftJob,
  { to: wanted, compile }: { to: LearnSessionState | undefined; compile: Compile },
): DraftOutcome {
  const source = sourceOf(ctx, job)
  let draft: SkillDraft
  try {
    draft = compile(source)
  } catch (error) {
    return abandon(ctx, job, { proposal_id: source.proposal_id, error })
  }
  const doubts = job.asked.length === 0 ? (draft.doubts ?? []) : []
  const to = wanted === 'drafting_proposal' && doubts.length > 0 ? 'awaiting_questions' : wanted
  const drafted = to === 'drafting_proposal'
  const proposal = writeProposal(ctx, job, source, { draft, drafted })
  const { proposal_id, interpretation_id } = proposal
  if (to === undefined) return { session: job.session, proposal_id, failed: false }
  const session = moveSession(ctx, job.session, hops(job.session.state, to), {
    changes: { proposal_id, interpretation_id },
  })
  if (job.proposal === undefined) recordCreated(ctx, job, session)
  if (to === 'awaiting_questions') recordAsked(ctx, session, { known: job, doubts })
  if (drafted) testAutomatically(ctx, proposal)
  const now = findLearnSession(ctx.tx, session.learn_session_id) ?? session
  return { session: now, proposal_id, failed: false }
}

/** The table knows no jump from `stopped`, nor from a state to itself; both go by way of `reviewing`. */
const hops = (from: LearnSessionState, to: LearnSessionState): LearnSessionState[] =>
  from === 'stopped' || from === to ? ['reviewing', to] : [to]

function recordCreated(ctx: CommandContext, job: DraftJob, session: StoredSession): void {
  const { learn_session_id, proposal_id, interpretation_id, state } = session
  recordSessionEvent(ctx, learn_session_id, 'learn.proposal.created', {
    ref: `proposal:${proposal_id}`,
    payload: { proposal_id, drafted: state === 'drafting_proposal' },
  })
  recordReceipt(ctx, 'learn.proposal.created', {
    learn_session_id,
    proposal_id,
    interpretation_id,
    from_state: job.session.state,
    to_state: state,
    summary: `Proposal made from ${job.shown.steps.length} actions.`,
  })
}

function recordAsked(
  ctx: CommandContext,
  session: StoredSession,
  open: Parameters<typeof askQuestions>[2],
): void {
  const { learn_session_id, proposal_id = '' } = session
  const questions = askQuestions(ctx, proposal_id, open)
  const fields = questions.map(({ field }) => field)
  recordSessionEvent(ctx, learn_session_id, 'learn.proposal.questions_requested', {
    ref: `proposal:${proposal_id}`,
    payload: { proposal_id, fields },
  })
  recordReceipt(ctx, 'learn.proposal.questions_requested', {
    learn_session_id,
    proposal_id,
    summary: `${questions.length} questions asked.`,
    details: { fields },
  })
}

/** The proposal is cancelled and the session waits in review, from where a draft can be asked for again. */
function abandon(
  ctx: CommandContext,
  job: DraftJob,
  { proposal_id, error }: { proposal_id: string; error: unknown },
): DraftOutcome {
  cancelFailedDraft(ctx, job, proposal_id)
  const { learn_session_id, state } = job.session
  const changes = { proposal_id: undefined, interpretation_id: undefined }
  const session =
    state === 'reviewing'
      ? saveSession(ctx, { ...job.session, ...changes })
      : moveSession(ctx, job.session, ['reviewing'], { reason: 'draft_failed', changes })
  recordSessionEvent(ctx, learn_session_id, 'error', {
    payload: { code: 'INTERNAL_ERROR', message: 'The draft could not be made.', retryable: true },
  })
  recordReceipt(ctx, 'learn.proposal.created', {
    status: 'failed',
    learn_session_id,
    proposal_id,
    from_state: state,
    to_state: session.state,
    summary: 'The draft could not be made; the proposal was cancelled.',
    reason: oneLine(error instanceof Error ? error.message : String(error), 240),
  })
  return { session, proposal_id, failed: true }
}

const insufficientTraces = (): Failure =>
  new Failure('INSUFFICIENT_TRACES', 'Nothing was captured that a skill could be drafted from.', {
    details: { needed: tracesNeeded },
  })

const stillOpen = (unanswered: number): Failure =>
  new Failure(
    'INVALID_LEARN_STATE_TRANSITION',
    `${unanswered} questions are still to be answered.`,
    { details: { state: 'awaiting_questions', remaining_questions: unanswered } },
  )
