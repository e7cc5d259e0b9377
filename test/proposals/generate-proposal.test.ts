import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { writeAs } from '../../src/domain/command/context.ts'
import { generateProposal } from '../../src/domain/review/generate-proposal.ts'
import { listDraftFiles } from '../../src/store/proposals/draft-files.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { readQuestions, demonstrateSession, addObservation, addTrace } from '../learn/demonstrated-session.ts'

const generate = (daemon: Daemon, id: string, token?: string) =>
  daemon.post(`/api/learn/sessions/${id}/generate-proposal`, {}, token)

const readDraft = (daemon: Daemon, proposalId: string) =>
  Object.fromEntries(
    daemon.system.store
      .read((reader) => listDraftFiles(reader, proposalId))
      .map(({ name, content }) => [name, content]),
  )

const readReceipts = async (daemon: Daemon, id: string) => {
  const reply = await daemon.get(`/api/learn/receipts?learn_session_id=${id}`)
  return reply.json<{ receipts: { receipt_kind: string; status: string }[] }>().receipts
}

test('generate-proposal drafts a stopped session through two state changes in one command', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { goal: 'Export the brief as PDF' })
  const before = daemon.eventsOf(id).length

  const reply = await generate(daemon, id)

  expect(reply.statusCode, reply.body).toBe(201)
  const { session, proposal_id } = reply.json<{
    session: Record<string, string>
    proposal_id: string
  }>()
  expect(session).toMatchObject({ state: 'drafting_proposal', proposal_id })
  expect(daemon.eventsOf(id).slice(before)).toEqual([
    'learn.session.state_changed',
    'learn.session.state_changed',
    'learn.proposal.created',
  ])
  const detail = (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json()
  expect(detail).toMatchObject({
    proposal: {
      proposal_state: 'draft',
      install_lane: 'pending',
      title: 'Export the brief as PDF',
      proposed_skill_slug: 'export-the-brief-as-pdf',
      source_trace_ids: daemon.session(id)?.active_trace_ids,
      draft_skill_path: `system/learning/proposals/${proposal_id}/draft/SKILL.md`,
    },
    interpretation: { goal_summary: 'Export the brief as PDF', project_scope: 'global' },
    questions: [],
  })
  expect(Object.keys(readDraft(daemon, proposal_id))).toEqual([
    'SKILL.md',
    'graph.json',
    'lint.json',
    'manifest.json',
    'trigger-tests.json',
  ])
  const [newest] = await readReceipts(daemon, id)
  expect(newest).toMatchObject({ receipt_kind: 'learn.proposal.created', status: 'ok' })
})

test('marked steps become checkpoints, and the goal becomes the last one', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, {
    goal: 'Export the brief as PDF',
    steps: ['Open the export dialog', { label: 'Check that a preview is shown', hint: 'verification' }],
  })

  const { proposal_id } = (await generate(daemon, id)).json<{ proposal_id: string }>()

  const { interpretation } = (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<{
    interpretation: { checkpoints: unknown[]; success_conditions: string[] }
  }>()
  expect(interpretation.checkpoints).toMatchObject([
    { checkpoint_id: 'cp-01', goal: 'Export dialog is open', order_hint: 0 },
    { checkpoint_id: 'cp-02', goal: 'A preview is shown' },
    { checkpoint_id: 'cp-03', goal: 'Brief as PDF is exported' },
  ])
  expect(interpretation.success_conditions).toEqual(['A preview is shown', 'Brief as PDF is exported'])
  const skill = readDraft(daemon, proposal_id)['SKILL.md']
  expect(skill).toContain('Export dialog is open')
  expect(skill).not.toContain('Tap Export')
  expect(skill).not.toMatch(/node_id|n01|graph/)
})

test('without marked steps every observed change is a checkpoint; repeated ones are merged', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, {
    labels: ['Open the share menu', 'Open the share menu', 'Choose PDF', 'Tap Export'],
  })
  const { proposal_id } = (await generate(daemon, id)).json<{ proposal_id: string }>()

  const { interpretation, proposal } = (await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)).json<{
    interpretation: { checkpoints: { goal: string }[] }
    proposal: { title: string }
  }>()

  expect(interpretation.checkpoints.map(({ goal }) => goal)).toEqual([
    'Share menu is open',
    'PDF is selected',
    'Export has been used',
  ])
  expect(proposal.title).toBe('notes workflow')
})

const DRAFTABLE_STATES = ['stopped', 'reviewing', 'awaiting_questions']

test.each(LearnSessionState.options.filter((state) => !DRAFTABLE_STATES.includes(state)))(
  'generate-proposal fails in state %s and writes nothing',
  async (state) => {
    const daemon = await startDaemon()
    const trace = await addTrace(daemon, undefined)
    const id = await daemon.aSessionIn(state, { active_trace_ids: [trace] })
    const before = daemon.session(id)

    const reply = await generate(daemon, id)

    expect(reply.statusCode, reply.body).toBe(400)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    expect(daemon.session(id)).toEqual(before)
    expect(daemon.events()).toEqual([])
    expect(await readReceipts(daemon, id)).toEqual([])
    expect((await daemon.get('/api/learn/proposals')).json()).toMatchObject({ total: 0 })
  },
)

test.each([
  ['stopped', 2],
  ['reviewing', 1],
  ['awaiting_questions', 1],
] as const)('a session in state %s without open questions is drafted in %i state changes', async (state, changes) => {
  const daemon = await startDaemon()
  const trace = await addTrace(daemon, undefined)
  const id = await daemon.aSessionIn(state, { active_trace_ids: [trace] })

  const reply = await generate(daemon, id)

  expect(reply.json()).toMatchObject({ session: { state: 'drafting_proposal' } })
  expect(daemon.eventsOf(id)).toEqual([
    ...Array.from({ length: changes }, () => 'learn.session.state_changed'),
    'learn.proposal.created',
  ])
})

test.each(['nothing at all', 'a trace whose actions were all deleted'])(
  'with %s captured generate-proposal fails with INSUFFICIENT_TRACES and the session stays stopped',
  async (captured) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn('stopped')
    if (captured !== 'nothing at all') {
      const trace = await addTrace(daemon, id)
      await daemon.system.store.write((tx) =>
        tx.db.prepare('UPDATE learn_sessions SET active_trace_ids = ?').run(JSON.stringify([trace])),
      )
    }

    const reply = await generate(daemon, id)

    expect(reply.json()).toMatchObject({ error: { code: 'INSUFFICIENT_TRACES' } })
    expect(reply.statusCode).toBe(400)
    expect(daemon.session(id)?.state).toBe('stopped')
    expect(daemon.events()).toEqual([])
  },
)

test('a draft can be made from the trace of an earlier execution; its goal becomes the title', async () => {
  const daemon = await startDaemon()
  const trace = await addTrace(daemon, undefined)
  const id = await daemon.aSessionIn('stopped', { active_trace_ids: [trace] })

  const { proposal_id } = (await generate(daemon, id)).json<{ proposal_id: string }>()

  expect(daemon.system.store.read((reader) => findProposal(reader, proposal_id))).toMatchObject({
    title: 'Share a note',
    source_trace_ids: [trace],
  })
})

test('with ask_before_build at most five questions are asked in a fixed order', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, {
    create: { ask_before_build: true, project_id: 'p1' },
  })
  const before = daemon.eventsOf(id).length

  const reply = await generate(daemon, id)

  expect(reply.statusCode, reply.body).toBe(201)
  expect(reply.json()).toMatchObject({ session: { state: 'awaiting_questions' } })
  expect((await readQuestions(daemon, id)).map(({ field }) => field)).toEqual([
    'name',
    'goal_summary',
    'use_conditions',
    'non_use_conditions',
    'project_scope',
  ])
  expect(daemon.eventsOf(id).slice(before)).toEqual([
    'learn.session.state_changed',
    'learn.session.state_changed',
    'learn.proposal.created',
    'learn.proposal.questions_requested',
  ])
  expect((await readReceipts(daemon, id)).slice(0, 2).map(({ receipt_kind }) => receipt_kind)).toEqual([
    'learn.proposal.questions_requested',
    'learn.proposal.created',
  ])
  const { proposal_id } = reply.json<{ proposal_id: string }>()
  expect(readDraft(daemon, proposal_id)).toEqual({})
  expect(daemon.system.store.read((reader) => findProposal(reader, proposal_id)?.proposal_state)).toBe(
    'awaiting_questions',
  )
})

test('without a project the success condition is asked instead of the project scope', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { create: { build_policy: 'ask_before_build' } })
  await generate(daemon, id)
  expect((await readQuestions(daemon, id)).map(({ field }) => field)).toEqual([
    'name',
    'goal_summary',
    'use_conditions',
    'non_use_conditions',
    'success_condition',
  ])
})

test('fields known from the demonstration are not asked', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, {
    goal: 'Export the brief as PDF',
    create: { ask_before_build: true },
  })
  await generate(daemon, id)
  expect((await readQuestions(daemon, id)).map(({ field }) => field)).toEqual(['use_conditions', 'non_use_conditions'])
})

test.each([
  ['agent_driven', 'awaiting_questions'],
  ['user_driven', 'drafting_proposal'],
  ['mixed', 'drafting_proposal'],
] as const)('an ambiguous capture with actor mode %s leads to %s', async (actor_mode, state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('stopped', { actor_mode })
  await addObservation(daemon, id)
  const trace = await addTrace(daemon, id)
  await daemon.system.store.write((tx) =>
    tx.db.prepare('UPDATE learn_sessions SET active_trace_ids = ?').run(JSON.stringify([trace])),
  )
  expect((await generate(daemon, id)).json()).toMatchObject({ session: { state } })
})

test.each([
  ['the setting of the operator', { setting: false }, 'drafting_proposal'],
  ['the preference of the user', { preference: false }, 'drafting_proposal'],
  ['the preference before the setting', { setting: false, preference: true }, 'awaiting_questions'],
])('whether an ambiguous capture of an agent is asked about follows %s', async (_what, given, state) => {
  const daemon = await startDaemon()
  const { setting, preference } = given as { setting?: boolean; preference?: boolean }
  if (setting !== undefined) {
    const payload = { require_user_feedback_before_build_when_ambiguous: setting }
    await daemon.request({ method: 'PUT', url: '/api/learn/mining/settings', payload })
  }
  if (preference !== undefined) {
    const sent = await daemon.post('/api/config/intents', {
      intent_id: randomUUID(),
      target: 'user_preference',
      payload: { ask_when_ambiguous: preference },
      requested_by: 'ui',
      correlation_id: 'c',
      created_at: '2026-03-01T12:00:00Z',
    })
    expect(sent.statusCode, sent.body).toBe(202)
  }
  const id = await daemon.aSessionIn('stopped', { actor_mode: 'agent_driven' })
  await addObservation(daemon, id)
  const trace = await addTrace(daemon, id)
  await daemon.system.store.write((tx) =>
    tx.db.prepare('UPDATE learn_sessions SET active_trace_ids = ?').run(JSON.stringify([trace])),
  )
  expect((await generate(daemon, id)).json()).toMatchObject({ session: { state } })
})

test('generate-proposal fails while questions are open', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { create: { ask_before_build: true } })
  await generate(daemon, id)
  const before = daemon.events().length

  const reply = await generate(daemon, id)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_LEARN_STATE_TRANSITION', details: { remaining_questions: 5 } },
  })
  expect(daemon.events()).toHaveLength(before)
})

test('a failed draft records a cancelled proposal, a failed receipt and an error event', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon)
  const origin = { actor: { kind: 'user', user_id: 'local' }, correlation_id: 'c' } as const
  const outcome = await writeAs(daemon.system, origin, (ctx) =>
    generateProposal(ctx, id, () => {
      throw new Error('no words')
    }),
  )

  expect(outcome.failed).toBe(true)
  expect(daemon.session(id)).toMatchObject({ state: 'reviewing' })
  expect(daemon.session(id)?.proposal_id).toBeUndefined()
  expect(daemon.system.store.read((reader) => findProposal(reader, outcome.proposal_id))).toMatchObject({
    proposal_state: 'cancelled',
  })
  expect(await readReceipts(daemon, id)).toContainEqual(
    expect.objectContaining({
      receipt_kind: 'learn.proposal.created',
      status: 'failed',
      reason: 'no words',
    }),
  )
  expect(daemon.eventsOf(id).at(-1)).toBe('error')
  expect((await generate(daemon, id)).json()).toMatchObject({
    session: { state: 'drafting_proposal' },
  })
})

test('generate-proposal for a session of another user fails with 404 and writes nothing', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon)
  const before = daemon.events().length
  const reply = await generate(daemon, id, await daemon.tokenFor('eve'))
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
  expect(daemon.events()).toHaveLength(before)
})

test('a repeated idempotency key drafts once and returns the same reply', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon)
  const sendOnce = () =>
    daemon.request({
      method: 'POST',
      url: `/api/learn/sessions/${id}/generate-proposal`,
      token: adminToken,
      headers: { 'idempotency-key': 'draft-1' },
    })
  const first = await sendOnce()
  const second = await sendOnce()
  expect(second.body).toBe(first.body)
  const list = await daemon.get('/api/learn/proposals')
  expect(list.json()).toMatchObject({ total: 1 })
})
