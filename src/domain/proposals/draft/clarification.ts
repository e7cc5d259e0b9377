import {
  type AskedQuestion,
  type LearningQuestion,
  NOTHING_SHOWS_IT,
  ProjectScope,
  type QuestionChoice,
  type QuestionField,
} from '@apprentice/contracts/learn/proposal.ts'
import { Failure } from '../../../failure/failure.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { StoredSession } from '../../../store/sessions/learn-sessions.ts'
import { appendQuestion, listAnswers, listQuestions } from '../../../store/proposals/questions.ts'
import type { CommandContext } from '../../command/context.ts'
import type { Doubt } from '../../../knowledge/interpret/draft/workflow.ts'
import type { Demonstration } from '../../capture/demonstration.ts'
import { type Answers, chooseTitle, type ShownOutcome } from './draft-source.ts'
import { clip } from '../../../knowledge/text/plain-text.ts'

const MAX_QUESTIONS = 5

interface QuestionContext {
  readonly session: StoredSession
  readonly demonstration: Demonstration
  readonly target_title?: string | undefined
  /** Whether an ambiguous demonstration of an agent leads to questions. */
  readonly ask_when_ambiguous: boolean
  /** The questions about a mined workflow; undefined for other workflows. */
  readonly mined_questions?: readonly QuestionField[] | undefined
}

/** Whether questions must be answered before a draft is made. A user's own demonstration needs no questions. */
export function needsQuestions(known: QuestionContext): boolean {
  const { session, mined_questions } = known
  if (mined_questions !== undefined) return mined_questions.length > 0
  if (session.build_policy === 'ask_before_build') return true
  return session.actor_mode === 'agent_driven' && known.ask_when_ambiguous && isAmbiguous(known)
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

/** What the questions of a proposal are about. */
export interface Asking {
  readonly known: QuestionContext
  readonly doubts: readonly Doubt[]
  /** The elements that may show the outcome. */
  readonly choices: readonly QuestionChoice[]
  /** The answer about the outcome named no element, so it is asked once more. */
  readonly again?: boolean
  /** Whether the draft has a recipe. */
  readonly isRepeatable?: boolean
}

const WHICH_ELEMENT =
  'No screen of the demonstration shows these words. Which of these shows that it worked? A run can check only what a screen shows.'

/** Stores the questions of a proposal. Doubts come first, because a draft cannot be verified while they are open. */
export function askQuestions(
  ctx: CommandContext,
  proposalId: string,
  { known, doubts, choices, again = false, isRepeatable = true }: Asking,
): LearningQuestion[] {
  const reasons = new Map(doubts.map(({ field, reason }) => [field, reason]))
  const open = !again && needsQuestions(known) ? listOpenFields(known) : []
  const questions = [...new Set([...reasons.keys(), ...open])].slice(0, MAX_QUESTIONS).map((field) => ({
    question_id: ctx.newId(),
    proposal_id: proposalId,
    field,
    prompt: again ? WHICH_ELEMENT : buildPrompt(field, { reason: reasons.get(field), isRepeatable }),
    required: true,
    ...(field === 'success_condition' && choices.length > 0 ? { choices: [...choices] } : {}),
    created_at: ctx.now,
    schema_version: 1 as const,
  }))
  for (const question of questions) appendQuestion(ctx.tx, question)
  return questions
}

const NOT_REPEATABLE =
  'So no run can repeat it: demonstrate it again in another way, or answer to get a guide for agents instead.'

function buildPrompt(
  field: QuestionField,
  { reason, isRepeatable }: { readonly reason: string | undefined; readonly isRepeatable: boolean },
): string {
  const prompt = reason === undefined || isRepeatable ? PROMPTS[field] : `${NOT_REPEATABLE} ${PROMPTS[field]}`
  return reason === undefined ? prompt : `${clip(reason, 400 - prompt.length - 2)}. ${prompt}`
}

export function listQuestionsWithAnswers(reader: Reader, proposalId: string): AskedQuestion[] {
  const answers = new Map(listAnswers(reader, proposalId).map((answer) => [answer.question_id, answer]))
  return listQuestions(reader, proposalId).map(({ question_id, field, prompt, required, choices }) => {
    const { answer: answer_text, choice_id } = answers.get(question_id) ?? {}
    return {
      question_id,
      field,
      question_text: prompt,
      required,
      answered: answer_text !== undefined,
      ...(answer_text === undefined ? {} : { answer_text }),
      ...(choices === undefined ? {} : { choices }),
      ...(choice_id === undefined ? {} : { chosen_id: choice_id }),
    }
  })
}

/** What the person answered about the outcome. Undefined if it was not asked. */
export function readShownOutcome(questions: readonly AskedQuestion[]): ShownOutcome | undefined {
  const asked = questions.filter(({ field }) => field === 'success_condition')
  const last = asked.findLast(({ answered }) => answered)
  if (asked.length === 0) return undefined
  const elements = asked.flatMap(({ choices = [], chosen_id }) =>
    choices.flatMap(({ choice_id, event_id, node_path }) =>
      choice_id === chosen_id && event_id !== undefined && node_path !== undefined ? [{ event_id, node_path }] : [],
    ),
  )
  return {
    elements,
    words: last?.chosen_id === undefined ? last?.answer_text : undefined,
    nothing: last?.chosen_id === NOTHING_SHOWS_IT,
    asked: asked.length,
  }
}

/** A chosen element is checked by the recipe, so it is no statement of the person. */
export function collectAnswers(questions: readonly AskedQuestion[]): Answers {
  return Object.fromEntries(
    questions
      .filter(({ answer_text, chosen_id }) => answer_text !== undefined && chosen_id === undefined)
      .map(({ field, answer_text }) => [field, answer_text]),
  )
}

export const countUnanswered = (questions: readonly AskedQuestion[]): number =>
  questions.filter(({ required, answered }) => required && !answered).length

/** The choice of a question with this id. Throws if the question does not offer it. */
export function getChoice({ field, choices = [] }: AskedQuestion, choiceId: string): QuestionChoice {
  const found = choices.find(({ choice_id }) => choice_id === choiceId)
  if (found !== undefined) return found
  const allowed = choices.map(({ choice_id }) => choice_id)
  const offer = allowed.length === 0 ? 'has no choices; send answer_text' : `must be one of ${allowed.join(', ')}`
  throw new Failure('INVALID_REQUEST', `answers: choice_id of ${field} ${offer}.`, {
    details: { field: 'answers', question: field, allowed },
  })
}

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
