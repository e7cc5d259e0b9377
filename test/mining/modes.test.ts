import { expect, test } from 'vitest'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { Daemon } from '../kit/daemon.ts'
import {
  startPhone,
  getProposal,
  repeatThreeTimes,
  scan,
  changeSettings,
  waitUntilSettled,
  listTestRuns,
} from './climate-phone.ts'

async function mine(daemon: Daemon): Promise<string> {
  const { proposals_created } = await scan(daemon)
  expect(proposals_created).toHaveLength(1)
  return proposals_created[0] ?? ''
}

async function readQuestions(daemon: Daemon, proposal: string) {
  const session = getProposal(daemon, proposal).learn_session_id ?? ''
  const reply = await daemon.get(`/api/learn/sessions/${session}/detail`)
  return { session, questions: reply.json<LearnSessionDetail>().questions }
}

const ANSWERS: Readonly<Record<string, string>> = {
  name: 'Warm a room up',
  use_conditions: 'Somebody is cold',
  non_use_conditions: 'The window is open',
  project_scope: 'global',
  approval_mode: 'every_time',
}

test('with ask_before_build the answers shape the draft, which is tested before review', async () => {
  const { daemon } = await startPhone()
  await changeSettings(daemon, { mode: 'ask_before_build' })
  await repeatThreeTimes(daemon)
  const proposal = await mine(daemon)
  expect(getProposal(daemon, proposal).proposal_state).toBe('awaiting_questions')
  expect(listTestRuns(daemon, proposal)).toEqual([])
  const { session, questions } = await readQuestions(daemon, proposal)
  expect(questions.map(({ field }) => field)).toEqual(Object.keys(ANSWERS))

  const answer = (given: Readonly<Record<string, string>>) =>
    daemon.post(`/api/skills/mining/proposals/${proposal}/answers`, {
      answers: questions.map(({ question_id, field }) => ({
        question_id,
        answer_text: given[field] ?? '',
      })),
    })
  const sent = await answer(ANSWERS)
  expect([sent.statusCode, sent.headers.location]).toEqual([308, `/api/learn/sessions/${session}/answer-questions`])
  const body = {
    answers: questions.map(({ question_id, field }) => ({
      question_id,
      answer_text: ANSWERS[field] ?? '',
    })),
  }
  const wrong = structuredClone(body)
  for (const each of wrong.answers) if (each.answer_text === 'every_time') each.answer_text = 'maybe'
  const refused = await daemon.post(String(sent.headers.location), wrong)
  expect(refused.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  const done = await daemon.post(String(sent.headers.location), body)
  expect(done.statusCode, done.body).toBe(200)

  expect(await waitUntilSettled(daemon, proposal)).toBe('ready_for_review')
  expect(getProposal(daemon, proposal).title).toBe('Warm a room up')
  expect(listTestRuns(daemon, proposal)).toHaveLength(1)
  const readDraft = async (name: string) =>
    (await daemon.get(`/api/learn/proposals/${proposal}/files/${name}`)).json<{ content: string }>().content
  expect(await readDraft('manifest.json')).toContain('"requires_supervision": true')
  const document = await readDraft('SKILL.md')
  expect(document).toContain('Somebody is cold')
  expect(document).toContain('The window is open')
})

test('with build_then_review only the fields of ambiguities are asked', async () => {
  const { daemon } = await startPhone()
  // Without a project the specificity is unclear.
  await repeatThreeTimes(daemon, { goal: 'Set the temperature of a unit' })
  const proposal = await mine(daemon)
  expect(getProposal(daemon, proposal).proposal_state).toBe('awaiting_questions')
  const { questions } = await readQuestions(daemon, proposal)
  expect(questions.map(({ field }) => field)).toEqual(['project_scope'])
})

test('without required tests and feedback the draft is ready for review at once', async () => {
  const { daemon } = await startPhone()
  await changeSettings(daemon, {
    require_tests_before_proposal: false,
    require_user_feedback_before_build_when_ambiguous: false,
  })
  await repeatThreeTimes(daemon, { goal: 'Set the temperature of a unit' })
  const proposal = await mine(daemon)
  expect(getProposal(daemon, proposal).proposal_state).toBe('ready_for_review')
  expect(listTestRuns(daemon, proposal)).toEqual([])
})

test('with auto_install_private a passed draft is installed, visible to its owner only', async () => {
  const { daemon } = await startPhone()
  await changeSettings(daemon, { mode: 'auto_install_private' })
  await repeatThreeTimes(daemon)
  const proposal = await mine(daemon)
  await expect.poll(() => getProposal(daemon, proposal).proposal_state, { timeout: 20_000 }).toBe('installed_private')
  expect(getProposal(daemon, proposal)).toMatchObject({ install_lane: 'experimental_private' })
  expect(listTestRuns(daemon, proposal)).toMatchObject([{ overall_result: 'passed' }])
  const other = await daemon.tokenFor('other')
  const { ability_id = '' } = getProposal(daemon, proposal)
  expect((await daemon.get('/api/abilities/catalog', other)).body).not.toContain(ability_id)
  expect((await daemon.get('/api/abilities/catalog')).body).toContain(ability_id)
})

test('with auto_install_private an ambiguous draft waits for review', async () => {
  const { daemon } = await startPhone()
  await changeSettings(daemon, {
    mode: 'auto_install_private',
    require_user_feedback_before_build_when_ambiguous: false,
  })
  await repeatThreeTimes(daemon, { goal: 'Set the temperature of a unit' })
  const proposal = await mine(daemon)
  expect(await waitUntilSettled(daemon, proposal)).toBe('ready_for_review')
  expect(getProposal(daemon, proposal)).toMatchObject({ install_lane: 'pending' })
  const session = daemon.session(getProposal(daemon, proposal).learn_session_id ?? '')
  expect(session).toMatchObject({ build_policy: 'build_then_review', allow_private_install: false })
})
