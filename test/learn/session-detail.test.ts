import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { startDaemon } from '../kit/daemon.ts'
import { demonstrateSession } from './demonstrated-session.ts'

const detail = (id: string) => `/api/learn/sessions/${id}/detail`

test('the detail of a session has everything its page displays', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { goal: 'Share a note', steps: ['Open the note'] })
  await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)

  const body = LearnSessionDetail.parse((await daemon.get(detail(id))).json())

  expect(body).toMatchObject({
    session: { learn_session_id: id, state: 'drafting_proposal' },
    pending_ui_state: 'drafting',
    proposal: { proposal_state: 'draft', title: 'Share a note' },
    interpretation: { title: 'Share a note' },
    observation_scope: { learn_session_id: id, scope: 'inside_agent', capture_state: 'stopped' },
    questions: [],
    checkpoint_receipts: [],
  })
  expect(body.boundaries.map(({ kind }) => kind)).toEqual(['start', 'mark_step', 'mark_goal', 'stop'])
  expect(body.test_policy).toBeUndefined()
  expect(body.partial_deployment).toBeUndefined()
  expect(body.timeline.filter(({ kind }) => kind === 'state_change').map(({ to_state }) => to_state)).toEqual([
    'armed',
    'capturing',
    'stopped',
    'reviewing',
    'drafting_proposal',
  ])
  expect(JSON.stringify(body)).not.toContain('owner_user_id')
})

test('the timeline has the newest 200 entries, oldest first, without change notifications', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  await daemon.post(`/api/learn/sessions/${id}/start`)
  for (let n = 0; n < 35; n += 1) {
    await daemon.post(`/api/learn/sessions/${id}/pause`)
    await daemon.post(`/api/learn/sessions/${id}/resume`)
  }
  await daemon.post(`/api/learn/sessions/${id}/set-test-policy`, {
    test_policy: { policy_id: randomUUID(), mode: 'read_only' },
  })
  const { timeline } = LearnSessionDetail.parse((await daemon.get(detail(id))).json())
  expect(timeline).toHaveLength(200)
  const seqs = timeline.map(({ seq }) => seq)
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
  expect(timeline.at(-1)?.event_kind).toBe('learn.capture.started')
  expect(new Set(timeline.map(({ kind }) => kind))).toEqual(new Set(['boundary', 'state_change', 'lifecycle']))
})

test("the detail of another user's session is not found", async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', { owner_user_id: 'eve' })
  const reply = await daemon.get(detail(id))
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
})

test('an archived session has a detail', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('rejected', { archived_at: '2026-03-01T12:00:00.000Z' })
  expect((await daemon.get(detail(id))).json()).toMatchObject({
    session: { state: 'rejected' },
    allowed_actions: ['delete'],
  })
})

test('the detail of an expired session fails once with SESSION_TIMEOUT and then succeeds', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  daemon.clock.advance(3_600_000)
  const first = await daemon.get(detail(id))
  expect(first.statusCode).toBe(408)
  expect(first.json()).toMatchObject({ error: { code: 'SESSION_TIMEOUT' } })
  expect((await daemon.get(detail(id))).json()).toMatchObject({ session: { state: 'cancelled' } })
})

test('all read routes return 200, and 401 without a token', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon)
  const reply = await daemon.post(`/api/learn/sessions/${id}/generate-proposal`)
  const { proposal_id } = reply.json<{ proposal_id: string }>()
  for (const url of [
    '/api/learn/sessions',
    '/api/learn/proposals',
    '/api/learn/history',
    '/api/learn/receipts',
    '/api/learn/runtime/current',
    detail(id),
    `/api/learn/proposals/${proposal_id}/detail`,
    `/api/learn/sessions/${id}/observation-scope`,
    `/api/learn/sessions/${id}/checkpoint-receipts`,
  ]) {
    expect((await daemon.get(url)).statusCode, url).toBe(200)
    expect((await daemon.request({ method: 'GET', url, token: null })).statusCode, url).toBe(401)
  }
})
