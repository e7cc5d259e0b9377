import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { generateProposal } from '../../src/domain/review/proposals.ts'
import { listDraftFiles } from '../../src/store/proposals/draft-files.ts'
import { findProposal } from '../../src/store/proposals/proposals.ts'
import { adminToken, type Daemon, startDaemon } from '../kit/daemon.ts'
import { questionsOf, showSession, withCapture, withTrace } from './shown-session.ts'

const generate = (daemon: Daemon, id: string, token?: string) =>
  daemon.post(`/api/learn/sessions/${id}/generate-proposal`, {}, token)

const draftOf = (daemon: Daemon, proposalId: string) =>
  Object.fromEntries(
    daemon.system.store
      .read((reader) => listDraftFiles(reader, proposalId))
      .map(({ name, content }) => [name, content]),
  )

const receiptsOf = async (daemon: Daemon, id: string) => {
  const reply = await daemon.get(`/api/learn/receipts?learn_session_id=${id}`)
  return reply.json<{ receipts: { receipt_kind: string; status: string }[] }>().receipts
}

test('a proposal made from a stopped session is drafted in two hops of one command', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, { goal: 'Export the brief as PDF' })
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
  expect(Object.keys(draftOf(daemon, proposal_id))).toEqual([
    'SKILL.md',
    'graph.json',
    'lint.json',
    'manifest.json',
    'trigger-tests.json',
  ])
  const [newest] = await receiptsOf(daemon, id)
  expect(newest).toMatchObject({ receipt_kind: 'learn.proposal.created', status: 'ok' })
})

test('the steps a person named become checkpoints, the goal the last of them', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, {
    goal: 'Export the brief as PDF',
    steps: [
      'Open the export dialog',
      { label: 'Check that a preview is shown', hint: 'verification' },
    ],
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
  expect(interpretation.success_conditions).toEqual([
    'A preview is shown',
    'Brief as PDF is exported',
  ])
  const skill = draftOf(daemon, proposal_id)['SKILL.md']
  expect(skill).toContain('Export dialog is open')
  expect(skill).not.toContain('Tap Export')
  expect(skill).not.toMatch(/node_id|n01|graph/)
})

test('without named steps every change that was seen is a checkpoint, equal neighbours only one', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, {
    labels: ['Open the share menu', 'Open the share menu', 'Choose PDF', 'Tap Export'],
  })
  const { proposal_id } = (await generate(daemon, id)).json<{ proposal_id: string }>()

  const { interpretation, proposal } = (
    await daemon.get(`/api/learn/proposals/${proposal_id}/detail`)
  ).json<{ interpretation: { checkpoints: { goal: string }[] }; proposal: { title: string } }>()

  expect(interpretation.checkpoints.map(({ goal }) => goal)).toEqual([
    'Share menu is open',
    'PDF is selected',
    'Export has been used',
  ])
  expect(proposal.title).toBe('notes workflow')
})

const draftable = ['stopped', 'reviewing', 'awaiting_questions']

test.each(LearnSessionState.options.filter((state) => !draftable.includes(state)))(
  'a session that is %s gets no proposal, and nothing is written',
  async (state) => {
    const daemon = await startDaemon()
    const trace = await withTrace(daemon, undefined)
    const id = await daemon.aSessionIn(state, { active_trace_ids: [trace] })

    const reply = await generate(daemon, id)

    expect(reply.statusCode, reply.body).toBe(400)
    expect(reply.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    expect(daemon.session(id)?.state).toBe(state)
    expect(daemon.events()).toEqual([])
  },
)

test.each([
  ['stopped', 2],
  ['reviewing', 1],
  ['awaiting_questions', 1],
] as const)(
  'a session that is %s with nothing left to ask is drafted in %i hops',
  async (state, hops) => {
    const daemon = await startDaemon()
    const trace = await withTrace(daemon, undefined)
    const id = await daemon.aSessionIn(state, { active_trace_ids: [trace] })

    const reply = await generate(daemon, id)

    expect(reply.json()).toMatchObject({ session: { state: 'drafting_proposal' } })
    expect(daemon.eventsOf(id)).toEqual([
      ...Array.from({ length: hops }, () => 'learn.session.state_changed'),
      'learn.proposal.created',
    ])
  },
)

test.each(['nothing at all', 'a trace whose actions were all deleted'])(
  'with %s captured there are too few traces, and the session stays stopped',
  async (left) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn('stopped')
    if (left !== 'nothing at all') {
      const trace = await withTrace(daemon, id)
      await daemon.system.store.write((tx) =>
        tx.db
          .prepare('UPDATE learn_sessions SET active_trace_ids = ?')
          .run(JSON.stringify([trace])),
      )
    }

    const reply = await generate(daemon, id)

    expect(reply.json()).toMatchObject({ error: { code: 'INSUFFICIENT_TRACES' } })
    expect(reply.statusCode).toBe(400)
    expect(daemon.session(id)?.state).toBe('stopped')
    expect(daemon.events()).toEqual([])
  },
)

test("an earlier run's trace is enough to draft from, and its goal names the skill", async () => {
  const daemon = await startDaemon()
  const trace = await withTrace(daemon, undefined)
  const id = await daemon.aSessionIn('stopped', { active_trace_ids: [trace] })

  const { proposal_id } = (await generate(daemon, id)).json<{ proposal_id: string }>()

  expect(daemon.system.store.read((reader) => findProposal(reader, proposal_id))).toMatchObject({
    title: 'Share a note',
    source_trace_ids: [trace],
  })
})

test('a session told to ask first asks at most five questions in the fixed order', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, { create: { ask_before_build: true, project_id: 'p1' } })
  const before = daemon.eventsOf(id).length

  const reply = await generate(daemon, id)

  expect(reply.statusCode, reply.body).toBe(201)
  expect(reply.json()).toMatchObject({ session: { state: 'awaiting_questions' } })
  expect((await questionsOf(daemon, id)).map(({ field }) => field)).toEqual([
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
  expect(
    (await receiptsOf(daemon, id)).slice(0, 2).map(({ receipt_kind }) => receipt_kind),
  ).toEqual(['learn.proposal.questions_requested', 'learn.proposal.created'])
  const { proposal_id } = reply.json<{ proposal_id: string }>()
  expect(draftOf(daemon, proposal_id)).toEqual({})
  expect(
    daemon.system.store.read((reader) => findProposal(reader, proposal_id)?.proposal_state),
  ).toBe('awaiting_questions')
})

test('without a project the freed place goes to the success condition', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, { create: { build_policy: 'ask_before_build' } })
  await generate(daemon, id)
  expect((await questionsOf(daemon, id)).map(({ field }) => field)).toEqual([
    'name',
    'goal_summary',
    'use_conditions',
    'non_use_conditions',
    'success_condition',
  ])
})

test('what the demonstration already told is not asked', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, {
    goal: 'Export the brief as PDF',
    create: { ask_before_build: true },
  })
  await generate(daemon, id)
  expect((await questionsOf(daemon, id)).map(({ field }) => field)).toEqual([
    'use_conditions',
    'non_use_conditions',
  ])
})

test.each([
  ['agent_driven', 'awaiting_questions'],
  ['user_driven', 'drafting_proposal'],
  ['mixed', 'drafting_proposal'],
] as const)('an unclear capture that is %s leads to %s', async (actor_mode, state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('stopped', { actor_mode })
  await withCapture(daemon, id)
  const trace = await withTrace(daemon, id)
  await daemon.system.store.write((tx) =>
    tx.db.prepare('UPDATE learn_sessions SET active_trace_ids = ?').run(JSON.stringify([trace])),
  )
  expect((await generate(daemon, id)).json()).toMatchObject({ session: { state } })
})

test('with questions open no proposal can be forced', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon, { create: { ask_before_build: true } })
  await generate(daemon, id)
  const before = daemon.events().length

  const reply = await generate(daemon, id)

  expect(reply.statusCode).toBe(400)
  expect(reply.json()).toMatchObject({
    error: { code: 'INVALID_LEARN_STATE_TRANSITION', details: { remaining_questions: 5 } },
  })
  expect(daemon.events()).toHaveLength(before)
})

test('a draft that cannot be made leaves a cancelled proposal, a session in review, and a trace of it', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon)
  const outcome = await daemon.system.store.write((tx) =>
    generateProposal(
      {
        tx,
        now: daemon.clock.now.toISOString(),
        actor: { kind: 'user', user_id: 'local' },
        correlation_id: 'c',
        newId: daemon.system.newId,
      },
      id,
      () => {
        throw new Error('no words')
      },
    ),
  )

  expect(outcome.failed).toBe(true)
  expect(daemon.session(id)).toMatchObject({ state: 'reviewing' })
  expect(daemon.session(id)?.proposal_id).toBeUndefined()
  expect(
    daemon.system.store.read((reader) => findProposal(reader, outcome.proposal_id)),
  ).toMatchObject({ proposal_state: 'cancelled' })
  expect(await receiptsOf(daemon, id)).toContainEqual(
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

test('another user cannot draft from a session and learns nothing of it', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon)
  const before = daemon.events().length
  const reply = await generate(daemon, id, await daemon.tokenFor('eve'))
  expect(reply.statusCode).toBe(404)
  expect(reply.json()).toMatchObject({ error: { code: 'LEARN_SESSION_NOT_FOUND' } })
  expect(daemon.events()).toHaveLength(before)
})

test('the same request id drafts once and answers twice', async () => {
  const daemon = await startDaemon()
  const id = await showSession(daemon)
  const ask = () =>
    daemon.request({
      method: 'POST',
      url: `/api/learn/sessions/${id}/generate-proposal`,
      token: adminToken,
      headers: { 'idempotency-key': 'draft-1' },
    })
  const first = await ask()
  const second = await ask()
  expect(second.body).toBe(first.body)
  const list = await daemon.get('/api/learn/proposals')
  expect(list.json()).toMatchObject({ total: 1 })
})
