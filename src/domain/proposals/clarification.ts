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
import { type Answers, knownTitle } from './draft-source.ts'
import { clip } from '../../knowledge/text/plain-text.ts'

const questionLimit = 5

/** Ask first when a draft would be a guess and no person was at hand to be guessed about. */
const askWhenAmbiguous = true

interface Known {
  readonly session: StoredSession
  readonly shown: Demonstration
  readonly target_title?: string | undefined
  /** What is to be asked about a workflow that was found in past runs; absent for any other. */
  readonly mined?: readonly QuestionField[] | undefined
}

/** Must the person be asked before anything is drafted? A person's own demonstration is drafted as it is. */
export function mustAsk(known: Known): boolean {
  const { session, mined } = known
  if (mined !== undefined) return mined.length > 0
  if (session.build_policy === 'ask_before_build') return true
  return askWhenAmbiguous && session.actor_mode === 'agent_driven' && isAmbiguous(known)
}

function isAmbiguous({ session, shown, target_title }: Known): boolean {
  const targeted = session.target_app_family !== undefined || session.target_skill_id !== undefined
  return (
    (shown.goal === undefined && !targeted) ||
    knownTitle({ session, shown, target_title, answers: {} }) === undefined ||
    session.project_id !== undefined ||
    !tellsSuccess(shown)
  )
}

const tellsSuccess = ({ goal, marks }: Demonstration): boolean =>
  goal !== undefined || marks.some((mark) => mark.kind === 'verification')

/** What the capture left open, in the order it is asked. */
function openFields({ session, shown, mined }: Known): QuestionField[] {
  if (mined !== undefined) return mined.slice(0, questionLimit)
  const fields: readonly (readonly [QuestionField, boolean])[] = [
    ['name', shown.goal === undefined],
    ['goal_summary', shown.goal === undefined],
    ['use_conditions', true],
    ['non_use_conditions', true],
    ['project_scope', session.project_id !== undefined],
    ['success_condition', !tellsSuccess(shown)],
  ]
  return fields
    .filter(([, open]) => open)
    .map(([field]) => field)
    .slice(0, questionLimit)
}

const prompts: Readonly<Record<QuestionField, string>> = {
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

/** What the demonstration left open comes first: without it the draft cannot tell whether it worked. */
export function askQuestions(
  ctx: CommandContext,
  proposalId: string,
  { known, doubts }: { readonly known: Known; readonly doubts: readonly Doubt[] },
): LearningQuestion[] {
  const reasons = new Map(doubts.map(({ field, reason }) => [field, reason]))
  const fields = [...reasons.keys(), ...(mustAsk(known) ? openFields(known) : [])]
  const questions = [...new Set(fields)].slice(0, questionLimit).map((field) => ({
    question_id: ctx.newId(),
    proposal_id: proposalId,
    field,
    prompt: promptOf(field, reasons.get(field)),
    required: true,
    created_at: ctx.now,
    schema_version: 1 as const,
  }))
  for (const question of questions) appendQuestion(ctx.tx, question)
  return questions
}

function promptOf(field: QuestionField, reason: string | undefined): string {
  const prompt = prompts[field]
  return reason === undefined ? prompt : `${clip(reason, 400 - prompt.length - 2)}. ${prompt}`
}

/** The questions of a proposal as a reviewer sees them. */
export function listAskedQuestions(reader: Reader, proposalId: string): AskedQuestion[] {
  const answers = new Map(
    listAnswers(reader, proposalId).map(({ question_id, answer }) => [question_id, answer]),
  )
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

export function answersOf(asked: readonly AskedQuestion[]): Answers {
  return Object.fromEntries(
    asked
      .filter(({ answer_text }) => answer_text !== undefined)
      .map(({ field, answer_text }) => [field, answer_text]),
  )
}

export const countUnanswered = (asked: readonly AskedQuestion[]): number =>
  asked.filter(({ required, answered }) => required && !answered).length

/** Refuses an answer its question cannot use. Returns it as it is kept. */
export function readAnswer(field: QuestionField, text: string): string {
  const answer = text.trim()
  const allowed = fixedAnswers[field]
  if (allowed === undefined || allowed.includes(answer)) return answer
  throw new Failure('INVALID_REQUEST', `The ${field} is one of ${allowed.join(', ')}.`, {
    details: { field: 'answers', question: field, allowed },
  })
}

const fixedAnswers: Readonly<Partial<Record<QuestionField, readonly string[]>>> = {
  project_scope: ProjectScope.options,
  approval_mode: ['every_time', 'not_needed'],
}
