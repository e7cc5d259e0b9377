import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { demonstrateSession } from '../learn/demonstrated-session.ts'

async function generateProposal(daemon: Daemon, token?: string): Promise<{ id: string; proposal: string }> {
  const id = await demonstrateSession(daemon, {
    goal: 'Share a note',
    ...(token === undefined ? {} : { token }),
  })
  const reply = await daemon.post(`/api/learn/sessions/${id}/generate-proposal`, {}, token)
  return { id, proposal: reply.json<{ proposal_id: string }>().proposal_id }
}

test('proposals are listed newest first, by page and by state', async () => {
  const daemon = await startDaemon()
  const first = await generateProposal(daemon)
  await daemon.post(`/api/learn/sessions/${first.id}/cancel`)
  daemon.clock.advance(1000)
  const second = await generateProposal(daemon)

  const ids = async (query: string) =>
    (await daemon.get(`/api/learn/proposals${query}`))
      .json<{ proposals: { proposal_id: string }[] }>()
      .proposals.map(({ proposal_id }) => proposal_id)

  expect(await ids('')).toEqual([second.proposal, first.proposal])
  expect(await ids('?page=2&page_size=1')).toEqual([first.proposal])
  expect(await ids('?state=draft')).toEqual([second.proposal])
  expect(await ids('?state=cancelled')).toEqual([first.proposal])
  expect((await daemon.get('/api/learn/proposals?state=nonsense')).statusCode).toBe(400)
})

test('cancelling a session cancels its open proposal in the same command', async () => {
  const daemon = await startDaemon()
  const { id, proposal } = await generateProposal(daemon)

  const reply = await daemon.post(`/api/learn/sessions/${id}/cancel`, {
    reason: 'no longer needed',
  })

  expect(reply.statusCode).toBe(200)
  const detail = await daemon.get(`/api/learn/proposals/${proposal}/detail`)
  expect(detail.json()).toMatchObject({ proposal: { proposal_state: 'cancelled' } })
  const change = daemon.events().findLast(({ kind }) => kind === 'learn.proposal.changed')
  expect(change?.payload).toEqual({ proposal_id: proposal, proposal_state: 'cancelled' })
  const sessionChange = daemon.events().findLast(({ kind }) => kind === 'learn.session.cancelled')
  expect(sessionChange?.correlation_id).toBe(change?.correlation_id)
})

test('a proposal of another user returns the same failure as an unknown one', async () => {
  const daemon = await startDaemon()
  const { proposal } = await generateProposal(daemon)
  const eve = await daemon.tokenFor('eve')

  const hers = await daemon.get(`/api/learn/proposals/${proposal}/detail`, eve)
  const none = await daemon.get(`/api/learn/proposals/${randomUUID()}/detail`, eve)

  for (const reply of [hers, none]) {
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toMatchObject({ error: { code: 'PROPOSAL_NOT_FOUND' } })
  }
  expect((await daemon.get('/api/learn/proposals', eve)).json()).toMatchObject({
    proposals: [],
    total: 0,
  })
})

test('a read token can list proposals but not generate one', async () => {
  const daemon = await startDaemon()
  const writer = await daemon.tokenFor('ann')
  const id = await demonstrateSession(daemon, { token: writer })
  const reader = await daemon.tokenFor('ann', 'read')
  const refused = await daemon.post(`/api/learn/sessions/${id}/generate-proposal`, {}, reader)
  expect(refused.statusCode).toBe(403)
  const listed = await daemon.get('/api/learn/proposals', reader)
  expect(listed.statusCode).toBe(200)
  expect(listed.json()).toMatchObject({ proposals: [], total: 0 })
  expect(daemon.session(id)?.state).toBe('stopped')
})
