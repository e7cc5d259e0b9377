import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Failure } from '../../failure/failure.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendAnswer } from '../../store/proposals/questions.ts'
import type { CommandContext } from '../command/context.ts'
import { recordReceipt, recordSessionEvent } from '../command/ledger.ts'
import { testAutomatically } from '../validation/automatic-run.ts'
import {
  askQuestions,
  countUnanswered,
  getChoice,
  listQuestionsWithAnswers,
  needsQuestions,
  parseAnswer,
} from '../proposals/draft/clarification.ts'
import type { ShownOutcome } from '../proposals/draft/draft-source.ts'
import type { Doubt } from '../../knowledge/interpret/draft/workflow.ts'
import { toOneLine } from '../../knowledge/text/plain-text.ts'
import {
  cancelFailedDraft,
  type DraftJob,
  readDraftJob,
  buildDraftSource,
  writeProposal,
} from '../proposals/write-proposal.ts'
import { assertState } from '../sessions/session-machine.ts'
import { getOwnSession, moveSession, saveSession } from '../sessions/session-moves.ts'
import { LessonNeeded } from '../proposals/draft/learned-workflow.ts'
import { type Compile, compileDraft, type SkillDraft } from '../proposals/draft/skill-draft.ts'

/** One demonstration by a person is enough. Mining has its own threshold. */
const MIN_TRACES = 1

export const DRAFTABLE_STATES: readonly LearnSessionState[] = ['stopped', 'reviewing', 'awaiting_questions']

export interface DraftOutcome {
  readonly session: StoredSession
  readonly proposal_id: string
  /** The draft could not be compiled. Returned, not thrown, because the cancelled proposal must be committed. */
  readonly failed: boolean
}

/** Drafts a skill from the captured demonstration, or asks questions about what is missing. */
export function generateProposal(
  ctx: CommandContext,
  sessionId: string,
  compile: Compile = compileDraft,
): DraftOutcome {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, DRAFTABLE_STATES)
  const job = readDraftJob(ctx, session)
  if (job.demonstration.source_trace_ids.length < MIN_TRACES) throw insufficientTraces()
  const unanswered = countUnanswered(job.questions)
  if (session.state === 'awaiting_questions' && unanswered > 0) throw questionsUnanswered(unanswered)
  const asks = job.questions.length === 0 && needsQuestions(job)
  return writeDraft(ctx, job, { to: asks ? 'awaiting_questions' : 'drafting_proposal', compile })
}

export interface SentAnswer {
  readonly question_id: string
  readonly answer_text?: string | undefined
  readonly choice_id?: string | undefined
}

export type AnswerNextAction = 'more_questions' | 'generate_proposal' | 'ready_for_review'

/** Stores answers. The last one starts the draft, unless the session's build policy is `ask_before_build`. */
export function answerQuestions(
  ctx: CommandContext,
  sessionId: string,
  sent: readonly SentAnswer[],
  compile: Compile = compileDraft,
): DraftOutcome & { remaining_questions: number; next_action: AnswerNextAction } {
  const session = getOwnSession(ctx, sessionId)
  assertState(session.state, ['awaiting_questions'])
  const before = readDraftJob(ctx, session)
  const proposal_id = storeAnswers(ctx, before, sent)
  const questions = listQuestionsWithAnswers(ctx.tx, proposal_id)
  const unanswered = countUnanswered(questions)
  const to = unanswered > 0 ? undefined : stateAfterAnswers(before)
  recordReceipt(ctx, 'learn.proposal.questions_answered', {
    learn_session_id: sessionId,
    proposal_id,
    summary: `${sent.length} answers stored, ${unanswered} questions unanswered.`,
    details: { answered: sent.length, remaining_questions: unanswered },
  })
  const outcome = writeDraft(ctx, { ...before, questions }, { to, compile })
  const remaining_questions = countUnanswered(listQuestionsWithAnswers(ctx.tx, proposal_id))
  const next_action = remaining_questions > 0 ? ('more_questions' as const) : nextAction(outcome.session, to)
  return { ...outcome, remaining_questions, next_action }
}

/** With `ask_before_build` the user starts the draft; mined workflows have no user who would. */
const stateAfterAnswers = ({ session, mined_questions }: DraftJob): LearnSessionState =>
  session.build_policy === 'ask_before_build' && mined_questions === undefined ? 'reviewing' : 'drafting_proposal'

function nextAction(session: StoredSession, to: LearnSessionState | undefined): AnswerNextAction {
  if (to === undefined) return 'more_questions'
  return session.state === 'ready_for_review' ? 'ready_for_review' : 'generate_proposal'
}

/** Stores all answers or, if one names an unknown question, none. */
function storeAnswers(ctx: CommandContext, { proposal, questions }: DraftJob, sent: readonly SentAnswer[]): string {
  const asked = new Map(questions.map((question) => [question.question_id, question]))
  const answers = sent.map(({ question_id, answer_text = '', choice_id }) => {
    const question = asked.get(question_id)
    if (question === undefined) {
      throw new Failure('QUESTION_NOT_FOUND', `No question ${question_id} in this proposal.`)
    }
    return choice_id === undefined
      ? { question_id, answer: parseAnswer(question.field, answer_text) }
      : { question_id, answer: getChoice(question, choice_id).label, choice_id }
  })
  if (proposal === undefined) throw new Failure('QUESTION_NOT_FOUND', 'The session has no questions.')
  const { proposal_id } = proposal
  for (const answer of answers) {
    appendAnswer(ctx.tx, { ...answer, proposal_id, created_at: ctx.now, schema_version: 1 })
  }
  return proposal_id
}

/** Compiles and stores the draft and moves the session. Without `to` the session keeps its state. */
function writeDraft(
  ctx: CommandContext,
  job: DraftJob,
  { to: requested, compile }: { to: LearnSessionState | undefined; compile: Compile },
): DraftOutcome {
  const source = buildDraftSource(ctx, job)
  let draft: SkillDraft
  try {
    draft = compile(source)
  } catch (error) {
    if (error instanceof LessonNeeded) throw error
    return abandonDraft(ctx, job, { proposal_id: source.proposal_id, error })
  }
  const again = isUnbound(source.shown, draft)
  const doubts = job.questions.length === 0 || again ? selectDoubts(draft, again) : []
  const to = requested === 'drafting_proposal' && doubts.length > 0 ? 'awaiting_questions' : requested
  const drafted = to === 'drafting_proposal'
  const proposal = writeProposal(ctx, job, source, { draft, drafted })
  const { proposal_id, interpretation_id } = proposal
  if (to === undefined) return { session: job.session, proposal_id, failed: false }
  const session = moveSession(ctx, job.session, listHops(job.session.state, to), {
    changes: { proposal_id, interpretation_id },
  })
  if (job.proposal === undefined) recordCreated(ctx, job, session)
  if (to === 'awaiting_questions') {
    const { proof_choices: choices = [], is_repeatable: isRepeatable = true } = draft
    recordQuestions(ctx, session, { known: job, doubts, choices, again, isRepeatable })
  }
  if (drafted) testAutomatically(ctx, proposal)
  const now = findLearnSession(ctx.tx, session.learn_session_id) ?? session
  return { session: now, proposal_id, failed: false }
}

/** The outcome was described in words that no kept screen shows. Which element shows it is asked once more. */
function isUnbound(shown: ShownOutcome | undefined, { is_bound, proof_choices = [] }: SkillDraft): boolean {
  if (shown?.words === undefined || shown.asked !== 1 || is_bound !== false) return false
  return proof_choices.some(({ event_id }) => event_id !== undefined)
}

const selectDoubts = ({ doubts = [] }: SkillDraft, again: boolean): readonly Doubt[] =>
  again ? doubts.filter(({ field }) => field === 'success_condition') : doubts

/** The state machine has no direct move from `stopped` or from a state to itself; both pass `reviewing`. */
const listHops = (from: LearnSessionState, to: LearnSessionState): LearnSessionState[] =>
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
    summary: `Proposal created from ${job.demonstration.steps.length} actions.`,
  })
}

function recordQuestions(ctx: CommandContext, session: StoredSession, draft: Parameters<typeof askQuestions>[2]): void {
  const { learn_session_id, proposal_id = '' } = session
  const questions = askQuestions(ctx, proposal_id, draft)
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

/** Cancels the proposal. The session stays in `reviewing`, where a draft can be requested again. */
function abandonDraft(
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
    payload: {
      code: 'INTERNAL_ERROR',
      message: 'The draft could not be compiled.',
      retryable: true,
    },
  })
  recordReceipt(ctx, 'learn.proposal.created', {
    status: 'failed',
    learn_session_id,
    proposal_id,
    from_state: state,
    to_state: session.state,
    summary: 'The draft could not be compiled; the proposal was cancelled.',
    reason: toOneLine(error instanceof Error ? error.message : String(error), 240),
  })
  return { session, proposal_id, failed: true }
}

const insufficientTraces = (): Failure =>
  new Failure('INSUFFICIENT_TRACES', 'The session has no captured actions to draft a skill from.', {
    details: { needed: MIN_TRACES },
  })

const questionsUnanswered = (unanswered: number): Failure =>
  new Failure('INVALID_LEARN_STATE_TRANSITION', `Answer the remaining ${unanswered} questions first.`, {
    details: { state: 'awaiting_questions', remaining_questions: unanswered },
  })
