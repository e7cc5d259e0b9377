import { ApiFailure } from '@apprentice/contracts/client.ts'
import type { AskedQuestion } from '@apprentice/contracts/learn/proposal.ts'
import { answerQuestions, generateProposal } from '@apprentice/contracts/learn/sessions.ts'
import type { TeachDialog } from './teach-dialog.ts'

/** Generates a draft and asks the person the open questions. Returns undefined if a question is not answered. */
export async function makeDraft(dialog: TeachDialog): Promise<string | undefined> {
  const { call, params } = dialog
  for (;;) {
    const { session, questions } = await dialog.detail()
    if (!STATES_BEFORE_DRAFT.has(session.state)) return session.proposal_id
    const open = questions.filter(({ answered }) => !answered)
    if (session.state === 'awaiting_questions' && open.length > 0) {
      if (!(await askAll(dialog, open))) return undefined
      continue
    }
    dialog.print('Generating the draft.')
    await call(generateProposal, { params, body: {} })
  }
}

const STATES_BEFORE_DRAFT: ReadonlySet<string> = new Set(['stopped', 'reviewing', 'awaiting_questions'])

/** Returns false if the input ended before all questions were answered. */
async function askAll(dialog: TeachDialog, open: readonly AskedQuestion[]): Promise<boolean> {
  for (const [at, question] of open.entries()) {
    dialog.print(`Question ${at + 1} of ${open.length}:`)
    if (!(await askOne(dialog, question))) return false
  }
  return true
}

async function askOne({ conversation, call, params }: TeachDialog, question: AskedQuestion): Promise<boolean> {
  const { question_id, question_text, field, choices = [] } = question
  const takesSeveral = question_text.includes('per line')
  for (const [at, { label }] of choices.entries()) conversation.say(`  ${at + 1}. ${label}`)
  const hint = takesSeveral ? ' (separate them with ;)' : choices.length > 0 ? ' (a number, or your own words)' : ''
  for (;;) {
    const answer = await conversation.ask(`${question_text}${hint}`)
    if (answer === undefined) return false
    if (answer === '') continue
    const chosen = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined
    const answer_text = takesSeveral ? answer.split(/(?<!\s)\s*;\s*/).join('\n') : answer
    const sent = chosen === undefined ? { answer_text } : { choice_id: chosen.choice_id }
    try {
      await call(answerQuestions, { params, body: { answers: [{ question_id, ...sent }] } })
      return true
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'INVALID_REQUEST') throw error
      conversation.say(`${error.message} (${field.replaceAll('_', ' ')})`)
    }
  }
}
