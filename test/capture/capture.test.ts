import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { listBoundaries } from '../../src/store/capture/boundaries.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { listObservations } from '../../src/store/capture/observations.ts'
import { findTrace } from '../../src/store/capture/traces.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const SESSIONS_URL = '/api/learn/sessions'
const readErrorCode = (reply: { json: () => unknown }) => (reply.json() as { error: { code: string } }).error.code
const listBoundaryKinds = (daemon: Daemon, id: string) =>
  daemon.system.store.read((reader) => listBoundaries(reader, id)).map(({ kind, source }) => `${kind} ${source}`)
const readReceipts = (daemon: Daemon, id: string) =>
  daemon.system.store
    .read((reader) => listReceipts(reader, 'local', { page: 1, page_size: 100, learn_session_id: id }))
    .receipts.toReversed()

test('create, start, pause, resume and stop each record their state change', async () => {
  const daemon = await startDaemon()
  const made = await daemon.post(SESSIONS_URL, {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
  })
  const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const started = await daemon.post(`${SESSIONS_URL}/${id}/start`, { source: 'hotkey' })
  expect(started.json()).toMatchObject({
    session: { state: 'capturing' },
    observation_active: true,
    adapters_armed: ['wrapper_receipt'],
  })
  expect((await daemon.post(`${SESSIONS_URL}/${id}/pause`)).json()).toMatchObject({
    session: { state: 'paused' },
  })
  expect((await daemon.post(`${SESSIONS_URL}/${id}/resume`)).json()).toMatchObject({
    session: { state: 'capturing' },
  })
  const stopped = await daemon.post(`${SESSIONS_URL}/${id}/stop`)
  expect(stopped.json()).toMatchObject({
    session: { state: 'stopped' },
    captured_event_count: 0,
    captured_trace_ids: [],
    next_action: 'cancel',
  })
  const states = daemon
    .events()
    .filter((event) => event.kind === 'learn.session.state_changed')
    .map((event) => event.payload['to'])
  expect(states).toEqual(['armed', 'capturing', 'paused', 'capturing', 'stopped'])
  expect(listBoundaryKinds(daemon, id)).toEqual(['start hotkey', 'pause api_call', 'resume api_call', 'stop api_call'])
  expect(daemon.session(id)?.active_observation_batch_ids).toHaveLength(2)
})

test('every lifecycle receipt has the correlation id of its request', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  for (const verb of ['start', 'pause', 'resume', 'stop', 'cancel']) {
    await daemon.request({
      method: 'POST',
      url: `${SESSIONS_URL}/${id}/${verb}`,
      headers: { 'x-correlation-id': `c-${verb}` },
    })
  }
  expect(readReceipts(daemon, id).map((receipt) => `${receipt.receipt_kind} ${receipt.correlation_id}`)).toEqual([
    'learn.observation.armed c-start',
    'learn.capture.started c-start',
    'learn.capture.paused c-pause',
    'learn.capture.resumed c-resume',
    'learn.capture.stopped c-stop',
    'learn.session.cancelled c-cancel',
  ])
})

test('start arms and starts an idle session in one command', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('idle')
  expect((await daemon.post(`${SESSIONS_URL}/${id}/start`)).statusCode).toBe(200)
  const changes = daemon.events().filter(({ kind }) => kind === 'learn.session.state_changed')
  expect(changes.map(({ payload }) => payload)).toEqual([
    { from: 'idle', to: 'armed' },
    { from: 'armed', to: 'capturing' },
  ])
  expect(daemon.session(id)?.state).toBe('capturing')
})

test('a second stop fails with CAPTURE_ALREADY_STOPPED; a stop before start is an illegal transition', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('paused')
  await daemon.post(`${SESSIONS_URL}/${id}/stop`)
  expect(readErrorCode(await daemon.post(`${SESSIONS_URL}/${id}/stop`))).toBe('CAPTURE_ALREADY_STOPPED')
  const armed = await daemon.aSessionIn('armed')
  expect(readErrorCode(await daemon.post(`${SESSIONS_URL}/${armed}/stop`))).toBe('INVALID_LEARN_STATE_TRANSITION')
})

test('the capture time excludes pauses', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  await daemon.post(`${SESSIONS_URL}/${id}/start`)
  daemon.clock.advance(5000)
  await daemon.post(`${SESSIONS_URL}/${id}/pause`)
  daemon.clock.advance(60_000)
  await daemon.post(`${SESSIONS_URL}/${id}/resume`)
  daemon.clock.advance(2000)
  await daemon.post(`${SESSIONS_URL}/${id}/stop`)
  expect(daemon.session(id)?.capture_accumulated_ms).toBe(7000)
})

test('outside observation requires a healthy adapter or a device; otherwise the session stays armed', async () => {
  const daemon = await startDaemon()
  const outside = { observation_mode: 'outside_agent' } as const
  const id = await daemon.aSessionIn('armed', outside)
  const reply = await daemon.post(`${SESSIONS_URL}/${id}/start`)
  expect([reply.statusCode, readErrorCode(reply)]).toEqual([503, 'ADAPTER_UNAVAILABLE'])
  expect(daemon.session(id)?.state).toBe('armed')
  expect(daemon.events()).toEqual([])
  const bound = await daemon.post(`${SESSIONS_URL}/${id}/start`, { device_serial: 'sim-1' })
  expect(bound.json()).toMatchObject({
    adapters_armed: ['wrapper_receipt'],
    session: { device_serial: 'sim-1' },
  })
})

test('observation mode none arms no adapter', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed', { observation_mode: 'none' })
  expect((await daemon.post(`${SESSIONS_URL}/${id}/start`)).json()).toMatchObject({
    observation_active: false,
    adapters_armed: [],
  })
})

const NOT_CANCELLABLE = [
  'ready_for_review',
  'installing_private',
  'installed_private',
  'approved',
  'rejected',
  'cancelled',
]
test.each(LearnSessionState.options)('cancelling a session in state %s', async (state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn(state)
  const reply = await daemon.post(`${SESSIONS_URL}/${id}/cancel`, { reason: 'changed my mind' })
  if (NOT_CANCELLABLE.includes(state)) {
    expect(readErrorCode(reply)).toBe('INVALID_LEARN_STATE_TRANSITION')
    expect(daemon.session(id)?.state).toBe(state)
    expect(daemon.events()).toEqual([])
    expect(readReceipts(daemon, id)).toEqual([])
    return
  }
  expect(reply.json()).toMatchObject({ session: { state: 'cancelled' } })
  expect(readReceipts(daemon, id)).toMatchObject([
    { receipt_kind: 'learn.session.cancelled', from_state: state, reason: 'changed my mind' },
  ])
})

test('deleting removes the session, its events, boundaries and traces; its receipts stay', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  await daemon.post(`${SESSIONS_URL}/${id}/observations`, {
    batch_request_id: '018f0000-0000-7000-8000-000000000001',
    adapter_id: 'mcp_receipt',
    events: [
      {
        event_id: '018f0000-0000-7000-8000-000000000002',
        learn_session_id: id,
        adapter_kind: 'mcp_receipt',
        action_label: 'Open the brief',
        created_at: daemon.clock.now.toISOString(),
      },
    ],
  })
  const stopped = await daemon.post(`${SESSIONS_URL}/${id}/stop`)
  const [trace = ''] = stopped.json<{ captured_trace_ids: string[] }>().captured_trace_ids
  const readTrace = () => daemon.system.store.read((reader) => findTrace(reader, trace))
  expect(readTrace()).toBeDefined()
  expect((await daemon.delete(`${SESSIONS_URL}/${id}`)).json()).toEqual({ deleted: true })
  expect(readErrorCode(await daemon.post(`${SESSIONS_URL}/${id}/pause`))).toBe('LEARN_SESSION_NOT_FOUND')
  expect(listBoundaryKinds(daemon, id)).toEqual([])
  expect(daemon.eventsOf(id)).toEqual([])
  expect(readTrace()).toBeUndefined()
  expect(daemon.session(id)).toBeUndefined()
  expect(daemon.system.store.read((reader) => listObservations(reader, id))).toEqual([])
  expect(readReceipts(daemon, id).map((receipt) => receipt.receipt_kind)).toEqual([
    'learn.capture.stopped',
    'learn.session.cancelled',
    'learn.session.deleted',
  ])
})

test.each(['ready_for_review', 'approved', 'installed_private'] as const)(
  'a session in state %s cannot be deleted',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    expect(readErrorCode(await daemon.delete(`${SESSIONS_URL}/${id}`))).toBe('INVALID_LEARN_STATE_TRANSITION')
    expect(daemon.session(id)?.state).toBe(state)
    expect(daemon.events()).toEqual([])
  },
)
