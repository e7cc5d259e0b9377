import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import {
  findProposal,
  insertProposal,
  type StoredProposal,
} from '../../src/store/proposals/proposals.ts'
import { appendTrace } from '../../src/store/capture/traces.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { aNightPasses, dayMs, kindsOf, learnEvents, observe, observed } from './nightly.ts'

/** A session that has just come into a settled state. */
const settled = (daemon: Daemon, state: LearnSessionState, changes = {}) =>
  daemon.aSessionIn(state, { terminal_at: daemon.clock.now.toISOString(), ...changes })

test.each(['cancelled', 'rejected', 'approved', 'quarantined'] as const)(
  'what was observed in a session is purged seven days after it was %s',
  async (state) => {
    const daemon = await startDaemon()
    const id = await settled(daemon, state)
    await observe(daemon, id, 3)
    daemon.clock.advance(7 * dayMs - 1)
    await aNightPasses(daemon)
    expect(observed(daemon, id)).toBe(3)
    expect(learnEvents(daemon)).toEqual([])

    daemon.clock.advance(dayMs)
    await aNightPasses(daemon)

    expect(observed(daemon, id)).toBe(0)
    expect(daemon.session(id)).toMatchObject({
      state,
      observations_purged_at: daemon.clock.now.toISOString(),
    })
    expect(kindsOf(daemon)).toEqual(['learn.observation.changed'])
  },
)

test('what its owner retains is not purged, until he no longer does', async () => {
  const daemon = await startDaemon()
  const id = await settled(daemon, 'cancelled')
  await observe(daemon, id, 2)
  await daemon.post(`/api/learn/sessions/${id}/observations/retain`, { retain: true })
  daemon.clock.advance(20 * dayMs)
  await aNightPasses(daemon)
  expect(observed(daemon, id)).toBe(2)

  await daemon.post(`/api/learn/sessions/${id}/observations/retain`, { retain: false })
  daemon.clock.advance(dayMs)
  await aNightPasses(daemon)
  expect(observed(daemon, id)).toBe(0)
})

test.each(['paused', 'stopped', 'ready_for_review', 'installed_private'] as const)(
  'a session that is %s keeps everything, however old it is',
  async (state) => {
    const daemon = await startDaemon()
    const id = await settled(daemon, state)
    await observe(daemon, id, 2)
    daemon.clock.advance(400 * dayMs)
    await aNightPasses(daemon)
    expect(observed(daemon, id)).toBe(2)
    expect(daemon.session(id)?.archived_at).toBeUndefined()
    expect(learnEvents(daemon)).toEqual([])
  },
)

test('a capture of many actions is purged whole, in more than one transaction', async () => {
  const daemon = await startDaemon()
  const [first, second] = [await settled(daemon, 'cancelled'), await settled(daemon, 'rejected')]
  await observe(daemon, first, 1205)
  await observe(daemon, second, 499)
  daemon.clock.advance(7 * dayMs)

  const job = await aNightPasses(daemon)

  expect([observed(daemon, first), observed(daemon, second)]).toEqual([0, 0])
  expect(job.result).toMatchObject({ purged: 1706 })
  expect(kindsOf(daemon)).toEqual(['learn.observation.changed', 'learn.observation.changed'])
})

test('what a session under way learns from is left alone as long as it is', async () => {
  const daemon = await startDaemon()
  const source = await settled(daemon, 'approved')
  await observe(daemon, source, 4)
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
  daemon.clock.advance(40 * dayMs)
  await aNightPasses(daemon)
  expect(observed(daemon, source)).toBe(4)
  expect(daemon.session(source)?.archived_at).toBeUndefined()

  await daemon.post(`/api/learn/sessions/${learner}/cancel`)
  daemon.clock.advance(dayMs)
  await aNightPasses(daemon)
  expect(observed(daemon, source)).toBe(0)
  expect(daemon.session(source)?.archived_at).toBeDefined()
})

test('a session is archived thirty days after it ended, and stays readable', async () => {
  const daemon = await startDaemon()
  const id = await settled(daemon, 'rejected')
  const before = daemon.session(id)
  daemon.clock.advance(30 * dayMs - 1)
  await aNightPasses(daemon)
  expect(daemon.session(id)?.archived_at).toBeUndefined()

  daemon.clock.advance(dayMs)
  await aNightPasses(daemon)

  expect(daemon.session(id)).toMatchObject({
    archived_at: daemon.clock.now.toISOString(),
    updated_at: before?.updated_at,
    revision: before?.revision,
  })
  expect(kindsOf(daemon)).toContain('learn.session.archived')
  const detail = await daemon.get(`/api/learn/sessions/${id}/detail`)
  expect(detail.json()).toMatchObject({ session: { learn_session_id: id, state: 'rejected' } })
  expect((await daemon.get('/api/learn/history')).json()).toMatchObject({ total: 1 })
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 0 })
})

test('an archived session that moves on is archived no longer', async () => {
  const daemon = await startDaemon()
  const id = await settled(daemon, 'quarantined')
  daemon.clock.advance(31 * dayMs)
  await aNightPasses(daemon)
  expect(daemon.session(id)?.archived_at).toBeDefined()

  const reply = await daemon.post(`/api/learn/sessions/${id}/cancel`)

  expect(reply.statusCode, reply.body).toBe(200)
  expect(daemon.session(id)).toMatchObject({ state: 'cancelled' })
  expect(daemon.session(id)?.archived_at).toBeUndefined()
  expect((await daemon.get('/api/learn/sessions')).json()).toMatchObject({ total: 1 })
})

async function aProposal(daemon: Daemon, changes: Partial<StoredProposal>): Promise<string> {
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

const archivedAt = (daemon: Daemon, proposalId: string) =>
  daemon.system.store.read((reader) => findProposal(reader, proposalId))?.archived_at

test('a proposal is archived fourteen days after it was given up, others never', async () => {
  const daemon = await startDaemon()
  const cancelled = await aProposal(daemon, { proposal_state: 'cancelled' })
  const rejected = await aProposal(daemon, { proposal_state: 'rejected' })
  const others = await Promise.all(
    (['draft', 'ready_for_review', 'approved', 'quarantined'] as const).map((proposal_state) =>
      aProposal(daemon, { proposal_state }),
    ),
  )
  daemon.clock.advance(14 * dayMs - 1)
  await aNightPasses(daemon)
  expect(archivedAt(daemon, cancelled)).toBeUndefined()

  daemon.clock.advance(dayMs)
  await aNightPasses(daemon)

  for (const id of [cancelled, rejected]) {
    expect(archivedAt(daemon, id)).toBe(daemon.clock.now.toISOString())
    const detail = await daemon.get(`/api/learn/proposals/${id}/detail`)
    expect(detail.statusCode).toBe(200)
  }
  for (const id of others) expect(archivedAt(daemon, id)).toBeUndefined()
  expect(kindsOf(daemon)).toEqual(['learn.proposal.archived', 'learn.proposal.archived'])
})

test('a proposal of a session under way is not archived', async () => {
  const daemon = await startDaemon()
  const session = await daemon.aSessionIn('drafting_proposal')
  const id = await aProposal(daemon, { proposal_state: 'cancelled', learn_session_id: session })
  daemon.clock.advance(100 * dayMs)
  await aNightPasses(daemon)
  expect(archivedAt(daemon, id)).toBeUndefined()
})
