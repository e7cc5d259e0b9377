import {
  type AskedQuestion,
  type LearningQuestion,
  ProjectScope,
  type QuestionField,
} from '@apprentice/contracts/learn/proposal.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { appendQuestion, listAnswers, listQuestions } from '../../store/proposals/questions.ts'
import type { CommandContext } from '../command/context.ts'
import type { Doubt } from '../../knowledge/interpret/draft/workflow.ts'
import type { Demonstration } from '../capture/demonstration.ts'
import { type Answers, chooseTitle } from './draft-source.ts'
import { clip } from '../../knowledge/text/plain-text.ts'

const MAX_QUESTIONS = 5

interface QuestionContext {
  readonly session: StoredSession
  readonly demonstration: Demonstration
  readonly target_title?: string | undefined
  /** The questions about a mined workflow; undefined for other workflows. */
  readonly mined_questions?: readonly QuestionField[] | undefined
}

/** Whether questions must be answered before a draft is made. A user's own demonstration needs no questions. */
export function needsQuestions(known: QuestionContext): boolean {
  const { session, mined_questions } = known
  if (mined_questions !== undefined) return mined_questions.length > 0
  if (session.build_policy === 'ask_before_build') return true
  return session.actor_mode === 'agent_driven' && isAmbiguous(known)
}

function isAmbiguous({ session, demonstration, target_title }: QuestionContext): boolean {
  const targeted = session.target_app_family !== undefined || session.target_skill_id !== undefined
  return (
    (demonstration.goal === undefined && !targeted) ||
    chooseTitle({ session, demonstration, target_title, answers: {} }) === undefined ||
    session.project_id !== undefined ||
    !hasSuccessSign(demonstration)
  )
}

const hasSuccessSign = ({ goal, marks }: Demonstration): boolean =>
  goal !== undefined || marks.some((mark) => mark.kind === 'verification')

/** The fields the demonstration does not determine, in the order of the questions. */
function listOpenFields({ session, demonstration, mined_questions }: QuestionContext): QuestionField[] {
  if (mined_questions !== undefined) return mined_questions.slice(0, MAX_QUESTIONS)
  const fields: readonly (readonly [QuestionField, boolean])[] = [
    ['name', demonstration.goal === undefined],
    ['goal_summary', demonstration.goal === undefined],
    ['use_conditions', true],
    ['non_use_conditions', true],
    ['project_scope', session.project_id !== undefined],
    ['success_condition', !hasSuccessSign(demonstration)],
  ]
  return fields
    .filter(([, open]) => open)
    .map(([field]) => field)
    .slice(0, MAX_QUESTIONS)
}

const PROMPTS: Readonly<Record<QuestionField, string>> = {
  name: 'What should this skill be called?',
  goal_summary: 'What is achieved when it is done? One or two sentences.',
  use_conditions: 'When should it be used? One case per line.',
  non_use_conditions: 'When should it not be used? One case per line.',
  project_scope: `Is it meant for every project or this one? Answer ${ProjectScope.options.join(', ')}.`,
  preferred_surface: 'Which way of doing it is preferred?',
  package_assignment: 'Which support packs belong to it? One per line.',
  success_condition: 'How can one see that it worked?',
  approval_mode: 'Must somebody allow it every time? Answer every_time or not_needed.',
}

/** Stores the questions of a proposal. Doubts come first, because a draft cannot be verified while they are open. */
export function askQuestions(
  ctx: CommandContext,
  proposalId: string,
  { known, doubts }: { readonly known: QuestionContext; readonly doubts: readonly Doubt[] },
): LearningQuestion[] {
  const reasons = new Map(doubts.map(({ field, reason }) => [field, reason]))
  const fields = [...reasons.keys(), ...(needsQuestions(known) ? listOpenFields(known) : [])]
  const questions = [...new Set(fields)].slice(0, MAX_QUESTIONS).map((field) => ({
    question_id: ctx.newId(),
    proposal_id: proposalId,
    field,
    prompt: buildPrompt(field, reasons.get(field)),
    required: true,
    created_at: ctx.now,
    schema_version: 1 as const,
  }))
  for (const question of questions) appendQuestion(ctx.tx, question)
  return questions
}

function buildPrompt(field: QuestionField, reason: string | undefined): string {
  const prompt = PROMPTS[field]
  return reason === undefined ? prompt : `${clip(reason, 400 - prompt.length - 2)}. ${prompt}`
}

export function listQuestionsWithAnswers(reader: Reader, proposalId: string): AskedQuestion[] {
  const answers = new Map(listAnswers(reader, proposalId).map(({ question_id, answer }) => [question_id, answer]))
  return listQuestions(reader, proposalId).map(({ question_id, field, prompt, required }) => {
    const answer_text = answers.get(question_id)
    return {
      question_id,
      field,
      question_text: prompt,
      required,
      answered: answer_text !== undefined,
      ...(answer_text === undefined ? {} : { answer_text }),
    }
  })
}

export function collectAnswers(questions: readonly AskedQuestion[]): Answers {
  return Object.fromEntries(
    questions
      .filter(({ answer_text }) => answer_text !== undefined)
      .map(({ field, answer_text }) => [field, answer_text]),
  )
}

export const countUnanswered = (questions: readonly AskedQuestion[]): number =>
  questions.filter(({ required, answered }) => required && !answered).length

/** Throws if the field has fixed answers and this is none of them. Returns the trimmed answer. */
export function parseAnswer(field: QuestionField, text: string): string {
  const answer = text.trim()
  const allowed = FIXED_ANSWERS[field]
  if (allowed === undefined || allowed.includes(answer)) return answer
  throw new Failure('INVALID_REQUEST', `The answer for ${field} must be one of ${allowed.join(', ')}.`, {
    details: { field: 'answers', question: field, allowed },
  })
}

const FIXED_ANSWERS: Readonly<Partial<Record<QuestionField, readonly string[]>>> = {
  project_scope: ProjectScope.options,
  approval_mode: ['every_time', 'not_needed'],
}
