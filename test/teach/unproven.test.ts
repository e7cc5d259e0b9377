import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AskedQuestion } from '@apprentice/contracts/learn/proposal.ts'
import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { ok, open, startTeaching, tap, type TeachingSetup } from './teaching.ts'

const DESK = 'org.example.quietdesk'
const APPS = join(import.meta.dirname, 'apps')

interface Open {
  readonly proposal_id: string
  readonly url: string
  readonly questions: readonly AskedQuestion[]
}

/** Demonstrates something that no screen shows, and reads the questions about it. */
async function callTheDesk(setup: TeachingSetup): Promise<Open> {
  const sessionId = await setup.demonstrate({
    goal: 'Call the desk',
    show: async ({ act }) => {
      await act(open(DESK), tap('Call the desk'))
    },
  })
  const url = `/api/learn/sessions/${sessionId}`
  const { proposal_id } = await ok<{ proposal_id: string }>(setup.daemon, `${url}/generate-proposal`)
  return { proposal_id, url, questions: await readQuestions(setup, url) }
}

const readQuestions = async ({ daemon }: TeachingSetup, url: string): Promise<AskedQuestion[]> =>
  (await daemon.get(`${url}/detail`)).json<{ questions: AskedQuestion[] }>().questions

const readDetail = async ({ daemon }: TeachingSetup, proposalId: string): Promise<ProposalDetail> =>
  (await daemon.get(`/api/learn/proposals/${proposalId}/detail`)).json<ProposalDetail>()

const answer = (setup: TeachingSetup, { url }: Open, answers: object[]) =>
  ok<{ next_action: string; remaining_questions: number }>(setup.daemon, `${url}/answer-questions`, { answers })

test('a workflow that nothing shows is installed as unproven, and its runs never succeed', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { daemon, phone } = setup
  const asked = await callTheDesk(setup)
  const [question = expect.fail('no question')] = asked.questions
  expect(question).toMatchObject({ field: 'success_condition', answered: false })
  expect(question.choices?.at(-1)).toEqual({
    choice_id: 'nothing_shows_it',
    label: 'Nothing on the screen shows it',
  })
  const { question_id } = question
  expect(await answer(setup, asked, [{ question_id, choice_id: 'nothing_shows_it' }])).toMatchObject({
    remaining_questions: 0,
  })
  const { recipe, ...detail } = await readDetail(setup, asked.proposal_id)
  expect(recipe).toMatchObject({ unproven: true })
  expect(recipe).not.toHaveProperty('verification')
  expect(detail.proposal.proposal_state).toBe('draft')

  const proposal = `/api/learn/proposals/${asked.proposal_id}`
  await ok(daemon, `${proposal}/validate`, { wait_ms: 60_000, schema_version: 1 })
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  const calls = () => (phone.state(DESK).saved as unknown as { calls: number }).calls
  const before = calls()
  for (const time of [1, 2, 3, 4, 5]) {
    const run = await setup.run(ability_id, {})
    expect(run).toMatchObject({ state: 'indeterminate', acted: true, trouble: { code: 'NOT_VERIFIED' } })
    expect(calls()).toBe(before + time)
  }

  const readEntry = async () => (await daemon.get(`/api/abilities/${ability_id}/availability`)).json<object>()
  // Without a check no run proves it: a person has to accept that.
  expect(await readEntry()).toMatchObject({ usable_now: false, reason_unusable: 'not_rehearsed' })
  const reason = 'We hear the bell'
  await ok(daemon, `/api/abilities/${ability_id}/accept-risk`, { draft_hash: detail.draft_hash, reason })
  expect(await readEntry()).toMatchObject({
    usable_now: true,
    proven: false,
    reason_unproven: expect.stringContaining('screen'),
  })
  const found = await ok<{ matches: object[] }>(daemon, '/api/abilities/lookup', {
    user_query: 'call the desk',
    schema_version: 1,
  })
  expect(found.matches[0]).toMatchObject({ ability_id, proven: false })
  const document = (await daemon.get(`${proposal}/files/SKILL.md`)).json<{ content: string }>().content
  expect(document).toContain('## Unproven')
})

test('words that no screen shows are asked about once more, then the draft is unproven and keeps the words', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const asked = await callTheDesk(setup)
  const [question = expect.fail('no question')] = asked.questions
  const words = { question_id: question.question_id, answer_text: 'A colleague comes to the office' }
  expect(await answer(setup, asked, [words])).toMatchObject({ next_action: 'more_questions', remaining_questions: 1 })
  const second = (await readQuestions(setup, asked.url)).filter(({ answered }) => !answered)
  expect(second).toMatchObject([{ field: 'success_condition', question_text: expect.stringContaining('Which') }])
  const { question_id } = second[0] ?? expect.fail('no second question')
  expect(await answer(setup, asked, [{ question_id, answer_text: 'As I said, a colleague comes' }])).toMatchObject({
    remaining_questions: 0,
  })
  const { recipe, interpretation } = await readDetail(setup, asked.proposal_id)
  expect(recipe).toMatchObject({ unproven: true })
  expect(interpretation?.success_conditions).toContain('As I said, a colleague comes')
})

test('a choice that the question does not offer is refused with those it offers, and nothing is stored', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const asked = await callTheDesk(setup)
  const [question = expect.fail('no question')] = asked.questions
  const send = (body: object) => setup.daemon.post(`${asked.url}/answer-questions`, { answers: [body] })
  const { question_id } = question
  const unknown = await send({ question_id, choice_id: 'element_99' })
  expect([unknown.statusCode, unknown.json<{ error: object }>().error]).toMatchObject([
    400,
    { code: 'INVALID_REQUEST', details: { field: 'answers', allowed: expect.arrayContaining(['nothing_shows_it']) } },
  ])
  const both = await send({ question_id, choice_id: 'nothing_shows_it', answer_text: 'x' })
  const none = await send({ question_id })
  expect([both.statusCode, none.statusCode]).toEqual([400, 400])
  expect((await readQuestions(setup, asked.url)).map(({ answered }) => answered)).toEqual([false])
})

test('a chosen element becomes a check of the recipe, and the question shows where it is', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { daemon } = setup
  // Without a goal the outcome is asked about even if the screens show it.
  const made = await ok<{ session: { learn_session_id: string } }>(daemon, '/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'outside_agent',
    device_serial: setup.phone.serial,
    build_policy: 'ask_before_build',
  })
  const url = `/api/learn/sessions/${made.session.learn_session_id}`
  await ok(daemon, `${url}/start`)
  await setup.act(open(DESK), tap('Prepare'))
  await ok(daemon, `${url}/stop`)
  const { proposal_id } = await ok<{ proposal_id: string }>(daemon, `${url}/generate-proposal`)
  const questions = await readQuestions(setup, url)
  const answers = questions.map(({ question_id, choices }) => {
    const choice = choices?.find(({ label }) => label.includes('in its place'))
    return choice === undefined ? { question_id, answer_text: 'Always' } : { question_id, choice_id: choice.choice_id }
  })
  expect(questions.some(({ field }) => field === 'success_condition')).toBe(true)
  const chosen = questions.flatMap(({ choices = [] }) => choices).find(({ label }) => label.includes('in its place'))
  expect(chosen?.bounds).toMatchObject({ left: expect.any(Number), bottom: expect.any(Number) })
  const tree = await daemon.get(`/api/evidence/${(chosen?.evidence_ref ?? '').replace('evidence:', '')}`)
  expect(tree.body).toContain('Everything is in its place')
  await ok(daemon, `${url}/answer-questions`, { answers })
  await ok(daemon, `${url}/generate-proposal`)
  const { recipe } = await readDetail(setup, proposal_id)
  expect(recipe).not.toHaveProperty('unproven')
  expect(JSON.stringify(recipe?.['verification'])).toContain('Everything is in its place')
})

test('an element that changed in a way nobody can explain is offered, chosen, and checked in each run', async () => {
  const setup = await startTeaching({ config: { simApps: APPS } })
  const { daemon, phone } = setup
  const sessionId = await setup.demonstrate({
    goal: 'Renew the door code',
    show: async ({ act }) => {
      await act(open(DESK), tap('Door'), tap('Renew'))
    },
  })
  const url = `/api/learn/sessions/${sessionId}`
  const { proposal_id } = await ok<{ proposal_id: string }>(daemon, `${url}/generate-proposal`)
  const [question = expect.fail('no question')] = await readQuestions(setup, url)
  expect(question.field).toBe('success_condition')
  // What the work did not change is not offered.
  expect(question.choices?.map(({ label }) => label)).toEqual([
    'The screen shows "K4M4"',
    'Nothing on the screen shows it',
  ])
  const [chosen = expect.fail('no choice')] = question.choices ?? []
  const answers = [{ question_id: question.question_id, choice_id: chosen.choice_id }]
  await ok(daemon, `${url}/answer-questions`, { answers })
  const { recipe } = await readDetail(setup, proposal_id)
  expect(recipe).not.toHaveProperty('unproven')
  expect(recipe?.['verification']).toMatchObject([{ changed: true }])
  expect(JSON.stringify(recipe)).not.toContain('K4')
  const proposal = `/api/learn/proposals/${proposal_id}`
  await ok(daemon, `${proposal}/validate`, { wait_ms: 60_000, schema_version: 1 })
  const { ability_id } = await ok<{ ability_id: string }>(daemon, `${proposal}/install`)
  expect(await setup.run(ability_id, {})).toMatchObject({ state: 'success', acted: true })
  phone.setState(DESK, { saved: { stuck: true } })
  const { state } = await setup.run(ability_id, {})
  expect(state).not.toBe('success')
})
