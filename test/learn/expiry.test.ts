import { expect, test } from 'vitest'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const HOUR_MS = 3_600_000

const readReceipts = (daemon: Daemon, id: string) =>
  daemon.system.store.read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100, learn_session_id: id }))
    .receipts

test.each(['idle', 'armed'] as const)(
  'the sweeper cancels a session that was %s for an hour and records the reason in a receipt',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    daemon.clock.advance(HOUR_MS - 1)
    await daemon.system.sweeper.sweepNow()
    expect(daemon.session(id)?.state).toBe(state)
    expect(daemon.events()).toEqual([])

    daemon.clock.advance(1)
    expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ expired_sessions: 1 })

    expect(daemon.session(id)).toMatchObject({
      state: 'cancelled',
      terminal_at: daemon.clock.now.toISOString(),
    })
    expect(readReceipts(daemon, id)).toMatchObject([
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

test('the sweeper pauses a capture after four hours, and it can be resumed', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  daemon.clock.advance(4 * HOUR_MS)
  await daemon.system.sweeper.sweepNow()

  expect(daemon.session(id)?.state).toBe('paused')
  expect(readReceipts(daemon, id)).toMatchObject([{ receipt_kind: 'learn.capture.paused', reason: 'capture_timeout' }])

  expect((await daemon.post(`/api/learn/sessions/${id}/resume`)).statusCode).toBe(200)
  daemon.clock.advance(HOUR_MS)
  await daemon.system.sweeper.sweepNow()
  expect(daemon.session(id)?.state).toBe('capturing')
})

test.each(['paused', 'stopped', 'ready_for_review', 'approved'] as const)(
  'a session in state %s never expires',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    daemon.clock.advance(1000 * HOUR_MS)
    expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ expired_sessions: 0 })
    expect(daemon.session(id)?.state).toBe(state)
    expect(daemon.eventsOf(id)).toEqual([])
  },
)

test('the sweeper expires sessions of all users', async () => {
  const daemon = await startDaemon()
  const ids = await Promise.all(
    Array.from({ length: 20 }, (_, n) => daemon.aSessionIn('armed', { owner_user_id: `u${n}` })),
  )
  daemon.clock.advance(HOUR_MS)
  expect(await daemon.system.sweeper.sweepNow()).toMatchObject({ expired_sessions: 20 })
  for (const id of ids) expect(daemon.session(id)?.state).toBe('cancelled')
})

test.each([
  ['armed', HOUR_MS, 'cancelled'],
  ['capturing', 4 * HOUR_MS, 'paused'],
] as const)(
  'a command on a session that expired in state %s fails with 408, and the state change is committed',
  async (state, after, expiredTo) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    daemon.clock.advance(after)

    const first = await daemon.post(`/api/learn/sessions/${id}/start`)

    expect(first.statusCode).toBe(408)
    expect(first.json()).toMatchObject({
      error: { code: 'SESSION_TIMEOUT', retryable: false, details: { state: expiredTo } },
    })
    expect(daemon.session(id)?.state).toBe(expiredTo)
    const second = await daemon.post(`/api/learn/sessions/${id}/start`)
    expect(second.json()).toMatchObject({ error: { code: 'INVALID_LEARN_STATE_TRANSITION' } })
    expect(readReceipts(daemon, id)).toHaveLength(1)
  },
)

const reads = allRoutes.filter(
  ({ method, url }) => method === 'GET' && url.startsWith('/api/learn/sessions/:sessionId/'),
)

test.each(reads.map(({ url }) => url))(
  'reading %s of an expired session fails once with 408 and then succeeds',
  async (url) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn('armed')
    daemon.clock.advance(HOUR_MS)
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
    // The session has no practice, so that route returns 404.
    expect((await read()).statusCode).toBe(url.endsWith('/practice') ? 404 : 200)
  },
)

test('a request of another user does not expire a session', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  const stranger = await daemon.tokenFor('stranger')
  daemon.clock.advance(HOUR_MS)

  const change = await daemon.post(`/api/learn/sessions/${id}/start`, {}, stranger)
  const read = await daemon.get(`/api/learn/sessions/${id}/detail`, stranger)

  for (const reply of [change, read]) expect(reply.statusCode).toBe(404)
  expect(daemon.session(id)?.state).toBe('armed')
  expect(daemon.events()).toEqual([])
})

test('a session expired by the sweeper frees the slot', async () => {
  const daemon = await startDaemon()
  await daemon.aSessionIn('armed')
  daemon.clock.advance(HOUR_MS)
  await daemon.system.sweeper.sweepNow()
  const reply = await daemon.post('/api/learn/sessions', { entry_mode: 'coaching_agent' })
  expect(reply.statusCode, reply.body).toBe(201)
})
