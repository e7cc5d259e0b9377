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

async function askOne(
  { conversation, call, params }: TeachDialog,
  { question_id, question_text, field }: AskedQuestion,
): Promise<boolean> {
  const takesSeveral = question_text.includes('per line')
  for (;;) {
    const answer = await conversation.ask(takesSeveral ? `${question_text} (separate them with ;)` : question_text)
    if (answer === undefined) return false
    if (answer === '') continue
    const answer_text = takesSeveral ? answer.split(/\s*;\s*/).join('\n') : answer
    try {
      await call(answerQuestions, { params, body: { answers: [{ question_id, answer_text }] } })
      return true
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.code !== 'INVALID_REQUEST') throw error
      conversation.say(`${error.message} (${field.replaceAll('_', ' ')})`)
    }
  }
}
