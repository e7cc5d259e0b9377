import { ApiFailure } from '@apprentice/contracts/client.ts'
import type { AskedQuestion } from '@apprentice/contracts/learn/proposal.ts'
import { answerQuestions, generateProposal } from '@apprentice/contracts/learn/sessions.ts'
import type { Lesson } from './lesson.ts'

/** Has a draft made of what was shown, answering what is asked; undefined when nobody answers. */
export async function draft(lesson: Lesson): Promise<string | undefined> {
  const { call, params } = lesson
  for (;;) {
    const { session, questions } = await lesson.detail()
    if (!undrafted.has(session.state)) return session.proposal_id
    const open = questions.filter(({ answered }) => !answered)
    if (session.state === 'awaiting_questions' && open.length > 0) {
      if (!(await answerAll(lesson, open))) return undefined
      continue
    }
    lesson.say('Working out what it means.')
    await call(generateProposal, { params, body: {} })
  }
}

const undrafted: ReadonlySet<string> = new Set(['stopped', 'reviewing', 'awaiting_questions'])

/** One after the other; false when there are no more answers. */
async function answerAll(lesson: Lesson, open: readonly AskedQuestion[]): Promise<boolean> {
  for (const [at, question] of open.entries()) {
    lesson.say(`Question ${at + 1} of ${open.length}:`)
    if (!(await answerOne(lesson, question))) return false
  }
  return true
}

async function answerOne(
  { talk, call, params }: Lesson,
  { question_id, question_text, field }: AskedQuestion,
): Promise<boolean> {
  const many = question_text.includes('per line')
  for (;;) {
    const answer = await talk.ask(many ? `${question_text} (separate them with ;)` : question_text)
    if (answer === undefined) return false
    if (answer === '') continue
    const answer_text = many ? answer.split(/\s*;\s*/).join('\n') : answer
    try {
      await call(answerQuestions, { params, body: { answers: [{ question_id, answer_text }] } })
      return true
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'INVALID_REQUEST') throw error
      talk.say(`${error.message} (${field.replaceAll('_', ' ')})`)
    }
  }
}
