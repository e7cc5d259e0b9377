import { expect, test } from 'vitest'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import type { Daemon } from '../kit/daemon.ts'
import { onPhone, proposalOf, repeatThreeTimes, scan, set, settled, testRunsOf } from './climate.ts'

async function mined(daemon: Daemon): Promise<string> {
  const { proposals_created } = await scan(daemon)
  expect(proposals_created).toHaveLength(1)
  return proposals_created[0] ?? ''
}

async function questionsOf(daemon: Daemon, proposal: string) {
  const session = proposalOf(daemon, proposal).learn_session_id ?? ''
  const reply = await daemon.get(`/api/learn/sessions/${session}/detail`)
  return { session, questions: reply.json<LearnSessionDetail>().questions }
}

const answers: Readonly<Record<string, string>> = {
  name: 'Warm a room up',
  use_conditions: 'Somebody is cold',
  non_use_conditions: 'The window is open',
  project_scope: 'global',
  approval_mode: 'every_time',
}

test('asked before anything is built, the answers make the draft, which is tested before it is shown', async () => {
  const { daemon } = await onPhone()
  await set(daemon, { mode: 'ask_before_build' })
  await repeatThreeTimes(daemon)
  const proposal = await mined(daemon)
  expect(proposalOf(daemon, proposal).proposal_state).toBe('awaiting_questions')
  expect(testRunsOf(daemon, proposal)).toEqual([])
  const { session, questions } = await questionsOf(daemon, proposal)
  expect(questions.map(({ field }) => field)).toEqual(Object.keys(answers))

  const answer = (given: Readonly<Record<string, string>>) =>
    daemon.post(`/api/skills/mining/proposals/${proposal}/answers`, {
      answers: questions.map(({ question_id, field }) => ({
        question_id,
        answer_text: given[field] ?? '',
      })),
    })
  const sent = await answer(answers)
  expect([sent.statusCode, sent.headers.location]).toEqual([
    308,
    `/api/learn/sessions/${session}/answer-questions`,
  ])
  const body = {
    answers: questions.map(({ question_id, field }) => ({
      question_id,
      answer_text: answers[field] ?? '',
    })),
  }
  const wrong = structuredClone(body)
  for (const each of wrong.answers)
    if (each.answer_text === 'every_time') each.answer_text = 'maybe'
  const refused = await daemon.post(String(sent.headers.location), wrong)
  expect(refused.json()).toMatchObject({ error: { code: 'INVALID_REQUEST' } })
  const done = await daemon.post(String(sent.headers.location), body)
  expect(done.statusCode, done.body).toBe(200)

  expect(await settled(daemon, proposal)).toBe('ready_for_review')
  expect(proposalOf(daemon, proposal).title).toBe('Warm a room up')
  expect(testRunsOf(daemon, proposal)).toHaveLength(1)
  const manifest = await daemon.get(`/api/learn/proposals/${proposal}/files/manifest.json`)
  expect(manifest.json<{ content: string }>().content).toContain('"requires_supervision": true')
})

test('built without being asked, only what is in doubt is asked, and nothing where doubts do not matter', async () => {
  const { daemon } = await onPhone()
  // No project is named, so nobody can tell for whom it is.
  await repeatThreeTimes(daemon, { goal: 'Set the temperature of a unit' })
  const proposal = await mined(daemon)
  expect(proposalOf(daemon, proposal).proposal_state).toBe('awaiting_questions')
  const { questions } = await questionsOf(daemon, proposal)
  expect(questions.map(({ field }) => field)).toEqual(['project_scope'])
})

test('where tests are not required the draft is shown at once', async () => {
  const { daemon } = await onPhone()
  await set(daemon, {
    require_tests_before_proposal: false,
    require_user_feedback_before_build_when_ambiguous: false,
  })
  await repeatThreeTimes(daemon, { goal: 'Set the temperature of a unit' })
  const proposal = await mined(daemon)
  expect(proposalOf(daemon, proposal).proposal_state).toBe('ready_for_review')
  expect(testRunsOf(daemon, proposal)).toEqual([])
})

test('what passes its tests is installed for its person alone, where that is wanted and nothing is in doubt', async () => {
  const { daemon } = await onPhone()
  await set(daemon, { mode: 'auto_install_private' })
  await repeatThreeTimes(daemon)
  const proposal = await mined(daemon)
  await expect
    .poll(() => proposalOf(daemon, proposal).proposal_state, { timeout: 20_000 })
    .toBe('installed_private')
  expect(proposalOf(daemon, proposal)).toMatchObject({ install_lane: 'experimental_private' })
  expect(testRunsOf(daemon, proposal)).toMatchObject([{ overall_result: 'passed' }])
  const other = await daemon.tokenFor('other')
  const { ability_id = '' } = proposalOf(daemon, proposal)
  expect((await daemon.get('/api/abilities/catalog', other)).body).not.toContain(ability_id)
  expect((await daemon.get('/api/abilities/catalog')).body).toContain(ability_id)
})

test('in doubt it is never installed by itself', async () => {
  const { daemon } = await onPhone()
  await set(daemon, {
    mode: 'auto_install_private',
    require_user_feedback_before_build_when_ambiguous: false,
  })
  await repeatThreeTimes(daemon, { goal: 'Set the temperature of a unit' })
  const proposal = await mined(daemon)
  expect(await settled(daemon, proposal)).toBe('ready_for_review')
  expect(proposalOf(daemon, proposal)).toMatchObject({ install_lane: 'pending' })
  const session = daemon.session(proposalOf(daemon, proposal).learn_session_id ?? '')
  expect(session).toMatchObject({ build_policy: 'build_then_review', allow_private_install: false })
})
