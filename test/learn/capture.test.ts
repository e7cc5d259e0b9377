import { expect, test } from 'vitest'
import { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { listBoundaries } from '../../src/store/capture/boundaries.ts'
import { listReceipts } from '../../src/store/command/receipts.ts'
import { findTrace } from '../../src/store/capture/traces.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const url = '/api/learn/sessions'
const code = (reply: { json: () => unknown }) =>
  (reply.json() as { error: { code: string } }).error.code
const boundaries = (daemon: Daemon, id: string) =>
  daemon.system.store
    .read((reader) => listBoundaries(reader, id))
    .map(({ kind, source }) => `${kind} ${source}`)
const receipts = (daemon: Daemon, id: string) =>
  daemon.system.store
    .read((reader) =>
      listReceipts(reader, 'local', { page: 1, page_size: 100, learn_session_id: id }),
    )
    .receipts.toReversed()

test('a session walks from create through start, pause, resume and stop, each hop on its timeline', async () => {
  const daemon = await startDaemon()
  const made = await daemon.post(url, {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
  })
  const id = made.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const started = await daemon.post(`${url}/${id}/start`, { source: 'hotkey' })
  expect(started.json()).toMatchObject({
    session: { state: 'capturing' },
    observation_active: true,
    adapters_armed: ['mcp_receipt', 'wrapper_receipt'],
  })
  expect((await daemon.post(`${url}/${id}/pause`)).json()).toMatchObject({
    session: { state: 'paused' },
  })
  expect((await daemon.post(`${url}/${id}/resume`)).json()).toMatchObject({
    session: { state: 'capturing' },
  })
  const stopped = await daemon.post(`${url}/${id}/stop`)
  expect(stopped.json()).toMatchObject({
    session: { state: 'stopped' },
    captured_event_count: 0,
    captured_trace_ids: [],
    next_action: 'cancel',
  })
  const hops = daemon
    .events()
    .filter((event) => event.kind === 'learn.session.state_changed')
    .map((event) => event.payload['to'])
  expect(hops).toEqual(['armed', 'capturing', 'paused', 'capturing', 'stopped'])
  expect(boundaries(daemon, id)).toEqual([
    'start hotkey',
    'pause api_call',
    'resume api_call',
    'stop api_call',
  ])
  expect(daemon.session(id)?.active_observation_batch_ids).toHaveLength(2)
})

test('every lifecycle receipt of one request carries its correlation id', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  for (const verb of ['start', 'pause', 'resume', 'stop', 'cancel']) {
    await daemon.request({
      method: 'POST',
      url: `${url}/${id}/${verb}`,
      headers: { 'x-correlation-id': `c-${verb}` },
    })
  }
  expect(
    receipts(daemon, id).map((receipt) => `${receipt.receipt_kind} ${receipt.correlation_id}`),
  ).toEqual([
    'learn.observation.armed c-start',
    'learn.capture.started c-start',
    'learn.capture.paused c-pause',
    'learn.capture.resumed c-resume',
    'learn.capture.stopped c-stop',
    'learn.session.cancelled c-cancel',
  ])
})

test('an idle session is armed and started in one command', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('idle')
  expect((await daemon.post(`${url}/${id}/start`)).statusCode).toBe(200)
  expect(daemon.events().filter((e) => e.kind === 'learn.session.state_changed')).toHaveLength(2)
})

test('a second stop says that capture has ended; one before start is an illegal move', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('paused')
  await daemon.post(`${url}/${id}/stop`)
  expect(code(await daemon.post(`${url}/${id}/stop`))).toBe('CAPTURE_ALREADY_STOPPED')
  const armed = await daemon.aSessionIn('armed')
  expect(code(await daemon.post(`${url}/${armed}/stop`))).toBe('INVALID_LEARN_STATE_TRANSITION')
})

test('the time spent capturing adds up over pauses', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')
  await daemon.post(`${url}/${id}/start`)
  daemon.clock.advance(5000)
  await daemon.post(`${url}/${id}/pause`)
  daemon.clock.advance(60_000)
  await daemon.post(`${url}/${id}/resume`)
  daemon.clock.advance(2000)
  await daemon.post(`${url}/${id}/stop`)
  expect(daemon.session(id)?.capture_accumulated_ms).toBe(7000)
})

test('outside observation without a healthy adapter leaves the session armed; a bound device helps', async () => {
  const daemon = await startDaemon()
  const outside = { observation_mode: 'outside_agent' } as const
  const id = await daemon.aSessionIn('armed', outside)
  const reply = await daemon.post(`${url}/${id}/start`)
  expect([reply.statusCode, code(reply)]).toEqual([503, 'ADAPTER_UNAVAILABLE'])
  expect(daemon.session(id)?.state).toBe('armed')
  expect(daemon.events()).toEqual([])
  const bound = await daemon.post(`${url}/${id}/start`, { device_serial: 'sim-1' })
  expect(bound.json()).toMatchObject({
    adapters_armed: ['wrapper_receipt'],
    session: { device_serial: 'sim-1' },
  })
})

test('observation none arms nothing', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed', { observation_mode: 'none' })
  expect((await daemon.post(`${url}/${id}/start`)).json()).toMatchObject({
    observation_active: false,
    adapters_armed: [],
  })
})

const notCancellable = [
  'ready_for_review',
  'installing_private',
  'installed_private',
  'approved',
  'rejected',
  'cancelled',
]
test.each(LearnSessionState.options)('cancel from %s follows the table', async (state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn(state)
  const reply = await daemon.post(`${url}/${id}/cancel`, { reason: 'changed my mind' })
  if (notCancellable.includes(state)) {
    expect(code(reply)).toBe('INVALID_LEARN_STATE_TRANSITION')
    expect(daemon.session(id)?.state).toBe(state)
    return
  }
  expect(reply.json()).toMatchObject({ session: { state: 'cancelled' } })
  expect(receipts(daemon, id)).toMatchObject([
    { receipt_kind: 'learn.session.cancelled', from_state: state, reason: 'changed my mind' },
  ])
})

test('deleting removes the session and what it captured; its receipts stay', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing')
  await daemon.post(`${url}/${id}/observations`, {
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
  const stopped = await daemon.post(`${url}/${id}/stop`)
  const [trace = ''] = stopped.json<{ captured_trace_ids: string[] }>().captured_trace_ids
  const traceLeft = () => daemon.system.store.read((reader) => findTrace(reader, trace))
  expect(traceLeft()).toBeDefined()
  expect((await daemon.delete(`${url}/${id}`)).json()).toEqual({ deleted: true })
  expect(code(await daemon.post(`${url}/${id}/pause`))).toBe('LEARN_SESSION_NOT_FOUND')
  expect(boundaries(daemon, id)).toEqual([])
  expect(daemon.eventsOf(id)).toEqual([])
  expect(traceLeft()).toBeUndefined()
  expect(receipts(daemon, id).map((receipt) => receipt.receipt_kind)).toEqual([
    'learn.capture.stopped',
    'learn.session.cancelled',
    'learn.session.deleted',
  ])
})

test.each(['ready_for_review', 'approved', 'installed_private'] as const)(
  'a session that is %s cannot be deleted',
  async (state) => {
    const daemon = await startDaemon()
    const id = await daemon.aSessionIn(state)
    expect(code(await daemon.delete(`${url}/${id}`))).toBe('INVALID_LEARN_STATE_TRANSITION')
    expect(daemon.session(id)?.state).toBe(state)
  },
)
