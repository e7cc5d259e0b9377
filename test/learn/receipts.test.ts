import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { LearningReceipt } from '@apprentice/contracts/learn/receipts.ts'
import { startDaemon } from '../kit/daemon.ts'
import { demonstrateSession } from './demonstrated-session.ts'

interface Page {
  readonly receipts: LearningReceipt[]
  readonly total: number
}

test('receipts are listed newest first and can be filtered by session, proposal, ability and kind', async () => {
  const daemon = await startDaemon()
  const first = await demonstrateSession(daemon)
  await daemon.post(`/api/learn/sessions/${first}/generate-proposal`)
  const proposal = String(daemon.session(first)?.proposal_id)
  await daemon.post(`/api/learn/sessions/${first}/cancel`)
  const second = await demonstrateSession(daemon)
  const list = async (query: string) => (await daemon.get(`/api/learn/receipts${query}`)).json<Page>()

  const all = await list('?page_size=100')
  expect(all.total).toBe(all.receipts.length)
  expect(all.receipts[0]).toMatchObject({
    receipt_kind: 'learn.capture.stopped',
    learn_session_id: second,
  })
  const ofFirst = await list(`?learn_session_id=${first}&page_size=100`)
  expect(ofFirst.receipts.map(({ receipt_kind }) => receipt_kind)).toEqual([
    'learn.session.cancelled',
    'learn.proposal.created',
    'learn.capture.stopped',
    'learn.capture.started',
    'learn.observation.armed',
    'learn.observation.armed',
    'learn.session.started',
  ])
  expect((await list(`?proposal_id=${proposal}`)).receipts).toMatchObject([
    { receipt_kind: 'learn.proposal.created', to_state: 'drafting_proposal' },
  ])
  expect((await list('?receipt_kind=learn.capture.stopped')).total).toBe(2)
  expect((await list(`?receipt_kind=learn.capture.stopped&learn_session_id=${first}`)).total).toBe(1)
  expect((await list('?ability_id=learned.none')).total).toBe(0)
  expect((await list('?page=2&page_size=1')).receipts[0]).toEqual(all.receipts[1])
})

test('receipts of other users are not listed, not even by session id', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon)
  const eve = await daemon.tokenFor('eve', 'read')
  for (const query of ['', `?learn_session_id=${id}`]) {
    expect((await daemon.get(`/api/learn/receipts${query}`, eve)).json()).toMatchObject({
      receipts: [],
      total: 0,
    })
  }
})

test.each(['?receipt_kind=learn.nothing', '?learn_session_id=1', '?page=0', '?page_size=101'])(
  'an invalid filter is rejected: %s',
  async (query) => {
    const daemon = await startDaemon()
    expect((await daemon.get(`/api/learn/receipts${query}`)).statusCode).toBe(400)
  },
)

test('all receipts of one request have its correlation id', async () => {
  const daemon = await startDaemon()
  const id = await demonstrateSession(daemon, { create: { ask_before_build: true } })
  const correlation = `trace-${randomUUID()}`
  await daemon.request({
    method: 'POST',
    url: `/api/learn/sessions/${id}/generate-proposal`,
    headers: { 'x-correlation-id': correlation },
  })
  const { receipts } = (await daemon.get('/api/learn/receipts?page_size=100')).json<Page>()
  expect(
    receipts.filter(({ correlation_id }) => correlation_id === correlation).map(({ receipt_kind }) => receipt_kind),
  ).toEqual(['learn.proposal.questions_requested', 'learn.proposal.created'])
})
