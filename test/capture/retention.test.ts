import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { findProposal, insertProposal, type StoredProposal } from '../../src/store/proposals/proposals.ts'
import { appendTrace } from '../../src/store/capture/traces.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { runNightlyJob, DAY_MS, listEventKinds, listLearnEvents, addObservations, countStored } from './nightly.ts'

/** Adds a session that entered a settled state just now. */
const addSettledSession = (daemon: Daemon, state: LearnSessionState, changes = {}) =>
  daemon.aSessionIn(state, { terminal_at: daemon.clock.now.toISOString(), ...changes })

test.each(['cancelled', 'rejected', 'approved', 'quarantined'] as const)(
  'observations are purged seven days after a session became %s',
  async (state) => {
    const daemon = await startDaemon()
    const id = await addSettledSession(daemon, state)
    await addObservations(daemon, id, 3)
    daemon.clock.advance(7 * DAY_MS - 1)
    await runNightlyJob(daemon)
    expect(countStored(daemon, id)).toBe(3)
    expect(listLearnEvents(daemon)).toEqual([])

    daemon.clock.advance(DAY_MS)
    await runNightlyJob(daemon)

    expect(countStored(daemon, id)).toBe(0)
    expect(daemon.session(id)).toMatchObject({
      state,
      observations_purged_at: daemon.clock.now.toISOString(),
    })
    expect(listEventKinds(daemon)).toEqual(['learn.observation.changed'])
  },
)

test('retained observations are purged only after retention is unset', async () => {
  const daemon = await startDaemon()
  const id = await addSettledSession(daemon, 'cancelled')
  await addObservations(daemon, id, 2)
  await daemon.post(`/api/learn/sessions/${id}/observations/retain`, { retain: true })
  daemon.clock.advance(20 * DAY_MS)
  await runNightlyJob(daemon)
  expect(countStored(daemon, id)).toBe(2)

  await daemon.post(`/api/learn/sessions/${id}/observations/retain`, { retain: false })
  daemon.clock.advance(DAY_MS)
  await runNightlyJob(daemon)
  expect(countStored(daemon, id)).toBe(0)
})

test.each(['paused', 'stopped', 'ready_for_review', 'installed_private'] as const)(
  'a session in state %s is never purged or archived',
  async (state) => {
    const daemon = await startDaemon()
    const id = await addSettledSession(daemon, state)
    await addObservations(daemon, id, 2)
    daemon.clock.advance(400 * DAY_MS)
    await runNightlyJob(daemon)
    expect(countStored(daemon, id)).toBe(2)
    expect(daemon.session(id)?.archived_at).toBeUndefined()
    expect(listLearnEvents(daemon)).toEqual([])
  },
)

test('a large capture is purged completely, in several transactions', async () => {
  const daemon = await startDaemon()
  const [first, second] = [await addSettledSession(daemon, 'cancelled'), await addSettledSession(daemon, 'rejected')]
  await addObservations(daemon, first, 1205)
  await addObservations(daemon, second, 499)
  daemon.clock.advance(7 * DAY_MS)

  const job = await runNightlyJob(daemon)

  expect([countStored(daemon, first), countStored(daemon, second)]).toEqual([0, 0])
  expect(job.result).toMatchObject({ purged: 1706 })
  expect(listEventKinds(daemon)).toEqual(['learn.observation.changed', 'learn.observation.changed'])
})

test('observations that an active session learns from are not purged until it ends', async () => {
  const daemon = await startDaemon()
  const source = await addSettledSession(daemon, 'approved')
  await addObservations(daemon, source, 4)
  const trace_id = randomUUID()
  await daemon.system.store.write((tx) =>
    appendTrace(tx, {
      trace_id,
      owner_user_id: 'local',
      learn_session_id: source,
      body: '{}',
      created_at: daemon.clock.now.toISOString(),
    }),
  )
  const learner = await daemon.aSessionIn('reviewing', { active_trace_ids: [trace_id] })
  daemon.clock.advance(40 * DAY_MS)
  await runNightlyJob(daemon)
  expect(countStored(daemon, source)).toBe(4)
  expect(daemon.session(source)?.archived_at).toBeUndefined()

  await daemon.post(`/api/learn/sessions/${learner}/cancel`)
  daemon.clock.advance(DAY_MS)
  await runNightlyJob(daemon)
  expect(countStored(daemon, source)).toBe(0)
  expect(daemon.session(source)?.archived_at).toBeDefined()
})

test('a session is archived thirty days after it ended and stays readable', async () => {
  const daemon = await startDaemon()
  const id = await addSettledSession(daemon, 'rejected')
  const before = daemon.session(id)
  daemon.clock.advance(30 * DAY_MS - 1)
  await runNightlyJob(daemon)
  expect(daemon.session(id)?.archived_at).toBeUndefined()

  daemon.clock.advance(DAY_MS)
  await runNightlyJob(daemon)

  expect(daemon.session(id)).toMatchObject({
    archived_at: daemon.clock.now.toISOString(),
    updated_at: before?.updated_at,
    revision: before?.revision,
  })
  expect(listEventKinds(daemon)).toContain('learn.session.archived')
  const detail = await daemon.get(`/api/learn/sessions/${id}/detail`)
  expect(detail.json()).toMatchObject({ session: { learn_session_id: id, state: 'rejected' } })
  expect((await daemon.get('/api/learn/history')).json()).toMatchObject({ total: 1 })
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 0 })
})

test('a state change unarchives a session', async () => {
  const daemon = await startDaemon()
  const id = await addSettledSession(daemon, 'quarantined')
  daemon.clock.advance(31 * DAY_MS)
  await runNightlyJob(daemon)
  expect(daemon.session(id)?.archived_at).toBeDefined()

  const reply = await daemon.post(`/api/learn/sessions/${id}/cancel`)

  expect(reply.statusCode, reply.body).toBe(200)
  expect(daemon.session(id)).toMatchObject({ state: 'cancelled' })
  expect(daemon.session(id)?.archived_at).toBeUndefined()
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 1 })
})

async function addProposal(daemon: Daemon, changes: Partial<StoredProposal>): Promise<string> {
  const at = daemon.clock.now.toISOString()
  const proposal: StoredProposal = {
    proposal_id: randomUUID(),
    owner_user_id: 'local',
    source_trace_ids: [randomUUID()],
    title: 'Fill a form',
    proposed_skill_slug: 'fill-a-form',
    trigger_phrases: [],
    negative_triggers: [],
    draft_skill_path: 'x',
    draft_manifest_path: 'x',
    proposal_state: 'draft',
    install_lane: 'pending',
    support_pack_refs: [],
    created_at: at,
    updated_at: at,
    revision: 1,
    schema_version: 1,
    ...changes,
  }
  await daemon.system.store.write((tx) => insertProposal(tx, proposal))
  return proposal.proposal_id
}

const readArchivedAt = (daemon: Daemon, proposalId: string) =>
  daemon.system.store.read((reader) => findProposal(reader, proposalId))?.archived_at

test('cancelled and rejected proposals are archived after fourteen days, others never', async () => {
  const daemon = await startDaemon()
  const cancelled = await addProposal(daemon, { proposal_state: 'cancelled' })
  const rejected = await addProposal(daemon, { proposal_state: 'rejected' })
  const others = await Promise.all(
    (['draft', 'ready_for_review', 'approved', 'quarantined'] as const).map((proposal_state) =>
      addProposal(daemon, { proposal_state }),
    ),
  )
  daemon.clock.advance(14 * DAY_MS - 1)
  await runNightlyJob(daemon)
  expect(readArchivedAt(daemon, cancelled)).toBeUndefined()

  daemon.clock.advance(DAY_MS)
  await runNightlyJob(daemon)

  for (const id of [cancelled, rejected]) {
    expect(readArchivedAt(daemon, id)).toBe(daemon.clock.now.toISOString())
    const detail = await daemon.get(`/api/learn/proposals/${id}/detail`)
    expect(detail.statusCode).toBe(200)
  }
  for (const id of others) expect(readArchivedAt(daemon, id)).toBeUndefined()
  expect(listEventKinds(daemon)).toEqual(['learn.proposal.archived', 'learn.proposal.archived'])
})

test('a proposal of an active session is not archived', async () => {
  const daemon = await startDaemon()
  const session = await daemon.aSessionIn('drafting_proposal')
  const id = await addProposal(daemon, { proposal_state: 'cancelled', learn_session_id: session })
  daemon.clock.advance(100 * DAY_MS)
  await runNightlyJob(daemon)
  expect(readArchivedAt(daemon, id)).toBeUndefined()
})
