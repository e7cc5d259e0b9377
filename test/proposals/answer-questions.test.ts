import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { writeAs } from '../../src/domain/command/context.ts'
import { answerQuestions } from '../../src/domain/review/generate-proposal.ts'
import { listDraftFiles } from '../../src/store/proposals/draft-files.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { readQuestions, demonstrateSession } from '../learn/demonstrated-session.ts'

const ANSWERS: Record<string, string> = {
  name: 'Export a brief',
  goal_summary: 'The brief exists as PDF',
  use_conditions: 'The user wants a brief exported\nA brief must be mailed; printed',
  non_use_conditions: 'The brief is a draft;  ; Printing on paper',
  project_scope: 'project_scoped',
  success_condition: 'The PDF is listed in the folder',
}

async function startWithQuestions(daemon: Daemon, create: Record<string, unknown>): Promise<string> {
  const id = await demonstrateSession(daemon, { create })
  const reply = await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)
  expect(reply.json()).toMatchObject({ session: { state: 'awaiting_questions' } })
  return id
}

const answer = (daemon: Daemon, id: string, given: unknown, token?: string) =>
  daemon.post(`/api/learn/sessions/${id}/answer-questions`, { answers: given }, token)

async function makeAnswers(daemon: Daemon, id: string) {
  return (await readQuestions(daemon, id)).map(({ question_id, field }) => ({
    question_id,
    answer_text: ANSWERS[field],
  }))
}

const readDetail = async (daemon: Daemon, id: string) =>
  (await daemon.get(`/api/learn/sessions/${id}/detail`)).json<{
    proposal: Record<string, unknown>
    interpretation: Record<string, unknown>
    questions: { answered: boolean; answer_text?: string }[]
  }>()

const ASK_FIRST = { ask_before_build: true }
const PRACTICE = { entry_mode: 'autonomous_agent_practice' }

test('partial answers keep the session waiting and return the number of remaining questions', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, ASK_FIRST)
  const [name] = await makeAnswers(daemon, id)

  const reply = await answer(daemon, id, [name])

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    session: { state: 'awaiting_questions' },
    remaining_questions: 4,
    next_action: 'more_questions',
  })
  expect(await readDetail(daemon, id)).toMatchObject({
    proposal: { title: 'Export a brief', proposed_skill_slug: 'export-a-brief' },
    questions: [{ answered: true, answer_text: 'Export a brief' }, { answered: false }, {}, {}, {}],
  })
})

test('with ask_before_build the last answer moves the session to review; the draft is made on request', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, { ...ASK_FIRST, project_id: 'p1' })

  const reply = await answer(daemon, id, await makeAnswers(daemon, id))

  expect(reply.json()).toMatchObject({
    session: { state: 'reviewing' },
    remaining_questions: 0,
    next_action: 'generate_proposal',
  })
  expect(await readDetail(daemon, id)).toMatchObject({
    proposal: {
      proposal_state: 'awaiting_questions',
      negative_triggers: ['The brief is a draft', 'Printing on paper'],
    },
    interpretation: {
      title: 'Export a brief',
      goal_summary: 'The brief exists as PDF',
      use_conditions: ['The user wants a brief exported', 'A brief must be mailed', 'printed'],
      non_use_conditions: ['The brief is a draft', 'Printing on paper'],
      project_scope: 'project_scoped',
      user_confirmed: true,
    },
  })
  const before = daemon.session(id)?.proposal_id
  const drafted = await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)
  expect(drafted.json()).toMatchObject({
    session: { state: 'drafting_proposal' },
    proposal_id: before,
  })
  expect(daemon.system.store.read((reader) => listDraftFiles(reader, String(before)).length)).toBe(5)
  expect((await daemon.get('/api/learn/proposals')).json()).toMatchObject({ total: 1 })
})

test('the last answer of an agent practice session makes the draft at once', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, PRACTICE)

  const reply = await answer(daemon, id, await makeAnswers(daemon, id))

  expect(reply.json()).toMatchObject({
    session: { state: 'drafting_proposal' },
    remaining_questions: 0,
    next_action: 'generate_proposal',
  })
  expect(await readDetail(daemon, id)).toMatchObject({
    proposal: { proposal_state: 'draft' },
    interpretation: { success_conditions: expect.arrayContaining([ANSWERS['success_condition']]) },
  })
})

test('a repeated answer replaces the earlier one, also within one request', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, ASK_FIRST)
  const [name] = await makeAnswers(daemon, id)
  const makeAnswer = (answer_text: string) => ({ question_id: name?.question_id, answer_text })

  await answer(daemon, id, [makeAnswer('First'), makeAnswer('Second try')])
  const reply = await answer(daemon, id, [makeAnswer('Third try')])

  expect(reply.json()).toMatchObject({ remaining_questions: 4 })
  expect(await readDetail(daemon, id)).toMatchObject({ proposal: { title: 'Third try' } })
})

test('an answer to an unknown question rejects the whole request', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, ASK_FIRST)
  const before = daemon.events().length
  const [name] = await makeAnswers(daemon, id)

  const reply = await answer(daemon, id, [name, { question_id: randomUUID(), answer_text: 'whatever' }])

  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'QUESTION_NOT_FOUND' } })
  expect((await readQuestions(daemon, id)).every(({ answered }) => !answered)).toBe(true)
  expect(daemon.events()).toHaveLength(before)
})

test('an invalid project scope rejects the whole request', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, { ...ASK_FIRST, project_id: 'p1' })
  const all = await makeAnswers(daemon, id)
  const wrong = all.map((given) => ({ ...given, answer_text: 'everywhere' }))

  const reply = await answer(daemon, id, wrong)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect((await readQuestions(daemon, id)).some(({ answered }) => answered)).toBe(false)
})

test('the receipt of answers has their number and not their text', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, ASK_FIRST)
  await answer(daemon, id, await makeAnswers(daemon, id))
  const { receipts } = (await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.questions_answered')).json<{
    receipts: { details: unknown }[]
  }>()
  expect(receipts).toMatchObject([{ details: { answered: 5, remaining_questions: 0 } }])
  expect(JSON.stringify(receipts)).not.toContain('brief')
})

test.each(LearnSessionState.options.filter((state) => state !== 'awaiting_questions'))(
  'answering questions fails in state %s',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    const reply = await answer(daemon, id, [{ question_id: randomUUID(), answer_text: 'x' }])
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    expect(daemon.events()).toEqual([])
  },
)

test('a draft that fails after the last answer cancels the proposal and moves the session to review', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, PRACTICE)
  const given = (await makeAnswers(daemon, id)).map(({ question_id, answer_text }) => ({
    question_id,
    answer_text: String(answer_text),
  }))
  const origin = { actor: { kind: 'user', user_id: 'local' }, correlation_id: 'c' } as const
  const outcome = await writeAs(daemon.system, origin, (ctx) =>
    answerQuestions(ctx, id, given, () => {
      throw new Error('no words')
    }),
  )
  expect(outcome.failed).toBe(true)
  expect(daemon.session(id)?.state).toBe('reviewing')
  const list = await daemon.get('/api/learn/proposals?state=cancelled')
  expect(list.json()).toMatchObject({ total: 1, proposals: [{ proposal_id: outcome.proposal_id }] })
})

test('another user cannot answer the questions of a session', async () => {
  const daemon = await startDaemon()
  const id = await startWithQuestions(daemon, ASK_FIRST)
  const reply = await answer(daemon, id, await makeAnswers(daemon, id), await daemon.tokenFor('eve'))
  expect(reply.statusCode).toBe(404)
  expect(daemon.session(id)?.state).toBe('awaiting_questions')
  expect((await readQuestions(daemon, id)).some(({ answered }) => answered)).toBe(false)
})
