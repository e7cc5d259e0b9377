import { expect, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const hourMs = 3_600_000

const receiptsOf = (daemon: Daemon, id: string) =>
  daemon.system.store.read((reader) =>
    listReceipts(reader, 'local', { page: 1, page_size: 100, learn_session_id: id }),
  ).receipts

test.each(['idle', 'armed'] as const)(
  'a session left %s for an hour is cancelled by the sweeper, with a receipt of why',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    daemon.clock.advance(hourMs - 1)
    await daemon.system.sweeper.sweepNow()
    expect(daemon.session(id)?.state).toBe(state)
    expect(daemon.events()).toEqual([])

    daemon.clock.advance(1)
    expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ lapsed_sessions: 1 })

    expect(daemon.session(id)).toMatchObject({
      state: 'cancelled',
      terminal_at: daemon.clock.now.toISOString(),
    })
    expect(receiptsOf(daemon, id)).toMatchObject([
      {
        receipt_kind: 'learn.session.cancelled',
        reason: 'session_timeout',
        actor: 'system',
        actor_ref: 'local',
      },
    ])
    expect(daemon.eventsOf(id)).toEqual(['learn.session.state_changed', 'learn.session.cancelled'])
  },
)

test('a capture of four hours is paused by the sweeper, and may be taken up again', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  daemon.clock.advance(4 * hourMs)
  await daemon.system.sweeper.sweepNow()

  expect(daemon.session(id)?.state).toBe('paused')
  expect(receiptsOf(daemon, id)).toMatchObject([
    { receipt_kind: 'learn.capture.paused', reason: 'capture_timeout' },
  ])

  expect((await daemon.post(`/api/learn/sessions/${id}/resume`)).statusCode).toBe(200)
  daemon.clock.advance(hourMs)
  await daemon.system.sweeper.sweepNow()
  expect(daemon.session(id)?.state).toBe('capturing')
})

test.each(['paused', 'stopped', 'ready_for_review', 'approved'] as const)(
  'a session that is %s may be left alone for as long as it takes',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    daemon.clock.advance(1000 * hourMs)
    expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ lapsed_sessions: 0 })
    expect(daemon.session(id)?.state).toBe(state)
  },
)

test('the sweeper finds the sessions of every user', async () => {
  const daemon = await startDaemon()
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, n) => daemon.aSessionIn('armed', { owner_user_id: `u${n}` })),
  )
  daemon.clock.advance(hourMs)
  expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ lapsed_sessions: 20 })
  for (const id of ids) expect(daemon.session(id)?.state).toBe('cancelled')
})

test.each([
  ['armed', hourMs, 'cancelled'],
  ['capturing', 4 * hourMs, 'paused'],
] as const)(
  'a change asked of a session left %s too long is refused with 408, and the move stands',
  async (state, after, moved) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    daemon.clock.advance(after)

    const first = await daemon.post(`/api/learn/sessions/${id}/start`)

    expect(first.statusCode).toBe(408)
    expect(first.json()).toMatchObject({
      error: { code: 'SESSION_TIMEOUT', retryable: false, details: { state: moved } },
    })
    expect(daemon.session(id)?.state).toBe(moved)
    const second = await daemon.post(`/api/learn/sessions/${id}/start`)
    expect(second.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    expect(receiptsOf(daemon, id)).toHaveLength(1)
  },
)

const reads = allRoutes.filter(
  ({ method, url }) => method === 'GET' && url.startsWith('/api/learn/sessions/:sessionId/'),
)

test.each(reads.map(({ url }) => url))(
  'reading %s of a session left too long is refused once, then shows where it is',
  async (url) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn('armed')
    daemon.clock.advance(hourMs)
    const read = () =>
      daemon.request({
        method: 'GET',
        url: url.replace(':sessionId', id),
        headers: url.endsWith('/events') ? { accept: 'text/event-stream' } : {},
      })

    const first = await read()
    expect(first.statusCode).toBe(408)
    expect(first.json()).toMatchObject({ error: { code: 'SESSION_TIMEOUT' } })
    expect(daemon.session(id)?.state).toBe('cancelled')
    // It has never practised, which is then the answer.
    expect((await read()).statusCode).toBe(url.endsWith('/practice') ? 404 : 200)
  },
)

test('a lapsed session of another user is not moved by who may not see it', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  const stranger = await daemon.tokenFor('stranger')
  daemon.clock.advance(hourMs)

  const change = await daemon.post(`/api/learn/sessions/${id}/start`, {}, stranger)
  const read = await daemon.get(`/api/learn/sessions/${id}/detail`, stranger)

  for (const reply of [change, read]) expect(reply.statusCode).toBe(404)
  expect(daemon.session(id)?.state).toBe('armed')
  expect(daemon.events()).toEqual([])
})

test('once the sweeper has moved it, a lapsed session no longer holds the slot', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('armed')
  daemon.clock.advance(hourMs)
  await daemon.system.sweeper.sweepNow()
  const reply = await daemon.post('/api/learn/sessions', { entry_mode: 'coaching_agent' })
  expect(reply.statusCode, reply.body).toBe(201)
})
