import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { answerQuestions } from '../../src/domain/review/proposals.ts'
import { listDraftFiles } from '../../src/store/proposals/draft-files.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { questionsOf, showSession } from './shown-session.ts'

const answers: Record<string, string> = {
  name: 'Export a brief',
  goal_summary: 'The brief exists as PDF',
  use_conditions: 'The user wants a brief exported\nA brief must be mailed; printed',
  non_use_conditions: 'The brief is a draft;  ; Printing on paper',
  project_scope: 'project_scoped',
  success_condition: 'The PDF is listed in the folder',
}

async function asked(daemon: Daemon, create: Record<string, unknown>): Promise<string> {
  const id = await showSession(daemon, { create })
  const reply = await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)
  expect(reply.json()).toMatchObject({ session: { state: 'awaiting_questions' } })
  return id
}

const answer = (daemon: Daemon, id: string, given: unknown, token?: string) =>
  daemon.post(`/api/learn/sessions/${id}/answer-questions`, { answers: given }, token)

async function fitting(daemon: Daemon, id: string) {
  return (await questionsOf(daemon, id)).map(({ question_id, field }) => ({
    question_id,
    answer_text: answers[field],
  }))
}

const detail = async (daemon: Daemon, id: string) =>
  (await daemon.get(`/api/learn/sessions/${id}/detail`)).json<{
    proposal: Record<string, unknown>
    interpretation: Record<string, unknown>
    questions: { answered: boolean; answer_text?: string }[]
  }>()

const askFirst = { ask_before_build: true }
const practice = { entry_mode: 'autonomous_agent_practice' }

test('some of the answers leave the session waiting and say how many are missing', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, askFirst)
  const [name] = await fitting(daemon, id)

  const reply = await answer(daemon, id, [name])

  expect(reply.statusCode, reply.body).toBe(200)
  expect(reply.json()).toMatchObject({
    session: { state: 'awaiting_questions' },
    remaining_questions: 4,
    next_action: 'more_questions',
  })
  expect(await detail(daemon, id)).toMatchObject({
    proposal: { title: 'Export a brief', proposed_skill_slug: 'export-a-brief' },
    questions: [{ answered: true, answer_text: 'Export a brief' }, { answered: false }, {}, {}, {}],
  })
})

test('the last answer of a session told to ask first returns it to review; the draft is then made on demand', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, { ...askFirst, project_id: 'p1' })

  const reply = await answer(daemon, id, await fitting(daemon, id))

  expect(reply.json()).toMatchObject({
    session: { state: 'reviewing' },
    remaining_questions: 0,
    next_action: 'generate_proposal',
  })
  expect(await detail(daemon, id)).toMatchObject({
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
  expect(daemon.system.store.read((reader) => listDraftFiles(reader, String(before)).length)).toBe(
    5,
  )
  expect((await daemon.get('/api/learn/proposals')).json()).toMatchObject({ total: 1 })
})

test("the last answer of an agent's practice makes the draft at once", async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, practice)

  const reply = await answer(daemon, id, await fitting(daemon, id))

  expect(reply.json()).toMatchObject({
    session: { state: 'drafting_proposal' },
    remaining_questions: 0,
    next_action: 'generate_proposal',
  })
  expect(await detail(daemon, id)).toMatchObject({
    proposal: { proposal_state: 'draft' },
    interpretation: { success_conditions: expect.arrayContaining([answers['success_condition']]) },
  })
})

test('an answer given again replaces the first, also within one request', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, askFirst)
  const [name] = await fitting(daemon, id)
  const say = (answer_text: string) => ({ question_id: name?.question_id, answer_text })

  await answer(daemon, id, [say('First'), say('Second try')])
  const reply = await answer(daemon, id, [say('Third try')])

  expect(reply.json()).toMatchObject({ remaining_questions: 4 })
  expect(await detail(daemon, id)).toMatchObject({ proposal: { title: 'Third try' } })
})

test('an answer to an unknown question is refused together with the good ones', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, askFirst)
  const before = daemon.events().length
  const [name] = await fitting(daemon, id)

  const reply = await answer(daemon, id, [
    name,
    { question_id: randomUUID(), answer_text: 'whatever' },
  ])

  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'QUESTION_NOT_FOUND' } })
  expect((await questionsOf(daemon, id)).every(({ answered }) => !answered)).toBe(true)
  expect(daemon.events()).toHaveLength(before)
})

test('a project scope that is none of the three is refused and nothing is kept', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, { ...askFirst, project_id: 'p1' })
  const all = await fitting(daemon, id)
  const wrong = all.map((given) => ({ ...given, answer_text: 'everywhere' }))

  const reply = await answer(daemon, id, wrong)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  expect((await questionsOf(daemon, id)).some(({ answered }) => answered)).toBe(false)
})

test('answers leave a receipt that tells how many there were, never what they said', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, askFirst)
  await answer(daemon, id, await fitting(daemon, id))
  const { receipts } = (
    await daemon.get('/api/learn/receipts?receipt_kind=learn.proposal.questions_answered')
  ).json<{ receipts: { details: unknown }[] }>()
  expect(receipts).toMatchObject([{ details: { answered: 5, remaining_questions: 0 } }])
  expect(JSON.stringify(receipts)).not.toContain('brief')
})

test.each(LearnSessionState.options.filter((state) => state !== 'awaiting_questions'))(
  'a session that is %s takes no answers',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    const reply = await answer(daemon, id, [{ question_id: randomUUID(), answer_text: 'x' }])
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    expect(daemon.events()).toEqual([])
  },
)

test('a draft that fails after the last answer cancels the proposal and puts the session in review', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, practice)
  const given = (await fitting(daemon, id)).map(({ question_id, answer_text }) => ({
    question_id,
    answer_text: String(answer_text),
  }))
  const outcome = await daemon.system.store.write((tx) =>
    answerQuestions(
      {
        tx,
        now: daemon.clock.now.toISOString(),
        actor: { kind: 'user', user_id: 'local' },
        correlation_id: 'c',
        newId: daemon.system.newId,
      },
      id,
      given,
      () => {
        throw new Error('no words')
      },
    ),
  )
  expect(outcome.failed).toBe(true)
  expect(daemon.session(id)?.state).toBe('reviewing')
  const list = await daemon.get('/api/learn/proposals?state=cancelled')
  expect(list.json()).toMatchObject({ total: 1, proposals: [{ proposal_id: outcome.proposal_id }] })
})

test('another user cannot answer', async () => {
  const daemon = await startDaemon()
  const id = await asked(daemon, askFirst)
  const reply = await answer(daemon, id, await fitting(daemon, id), await daemon.tokenFor('eve'))
  expect(reply.statusCode).toBe(404)
  expect(daemon.session(id)?.state).toBe('awaiting_questions')
})
