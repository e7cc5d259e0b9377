import { expect, test } from 'vitest'
import type { AskedQuestion } from '@apprentice/contracts/learn/proposal.ts'
import { writeAs } from '../../src/domain/command/context.ts'
import { answerQuestions, generateProposal } from '../../src/domain/review/generate-proposal.ts'
import { compileDraft, type Compile } from '../../src/domain/proposals/draft/skill-draft.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { demonstrateSession, readQuestions } from '../learn/demonstrated-session.ts'

const REASONS = [
  ['goal_summary', 'Choose the unit: The target cannot be distinguished from similar ones', false],
  ['goal_summary', 'Press a key: A recipe cannot press this key', false],
  ['goal_summary', 'The workflow is too long for one recipe; demonstrate it in smaller parts', false],
  ['goal_summary', 'The demonstrations do the same steps in different orders', true],
  ['success_condition', 'A slider was moved, but no screen shows its value', false],
  ['success_condition', 'The demonstration has no step that a recipe could repeat', false],
  ['success_condition', 'No screen shows that the workflow was done', true],
  ['success_condition', 'Only the form that was filled in shows the outcome, not saved data', true],
] as const

const run = <T>(daemon: Daemon, work: Parameters<typeof writeAs<T>>[2]) =>
  writeAs(daemon.system, { actor: { kind: 'user', user_id: 'local' }, correlation_id: 'test' }, work)

test.each(REASONS)('a doubt about %s leads to an installable draft: %s', async (field, reason, is_repeatable) => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { goal: 'Set the temperature' })
  const compile: Compile = (source) => ({
    ...compileDraft(source),
    doubts: [{ field, reason }],
    is_repeatable,
    proof_choices: [{ choice_id: 'nothing_shows_it', label: 'Nothing on the screen shows it' }],
  })
  const { proposal_id, session } = await run(daemon, (ctx) => generateProposal(ctx, id, compile))
  expect(session.state).toBe('awaiting_questions')
  const [question = expect.fail('no question')] = (await readQuestions(daemon, id)) as AskedQuestion[]
  expect(question.question_text).toContain(reason)
  // Without a recipe the person is told what else can be done.
  expect(question.question_text.includes('demonstrate it again')).toBe(!is_repeatable)
  const { question_id } = question
  const sent = field === 'success_condition' ? { choice_id: 'nothing_shows_it' } : { answer_text: 'It is warm' }
  const answered = await run(daemon, (ctx) => answerQuestions(ctx, id, [{ question_id, ...sent }], compile))
  expect(answered).toMatchObject({ remaining_questions: 0, session: { state: 'drafting_proposal' } })
  const proposal = `/api/learn/proposals/${proposal_id}`
  const tested = await daemon.post(`${proposal}/validate`, { wait_ms: 30_000, schema_version: 1 })
  expect(tested.statusCode, tested.body).toBeLessThan(300)
  const installed = await daemon.post(`${proposal}/install`)
  expect(installed.statusCode, installed.body).toBeLessThan(300)
})
