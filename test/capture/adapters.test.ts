import { expect, test } from 'vitest'
import { AdapterKind, type ObservationAdapterStatus } from '@apprentice/contracts/learn/observation.ts'
import { DAEMON_ACTOR, writeAs } from '../../src/domain/command/context.ts'
import { handleLostAdapters } from '../../src/domain/capture/adapter-loss.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { makeEvent, sendEvents } from './capturing.ts'

const sendHeartbeat = (daemon: Daemon, adapterId: string, kind: AdapterKind, healthy = true) =>
  daemon.post(`/api/learn/adapters/${adapterId}/heartbeat`, { kind, healthy })

const readAdapters = async (daemon: Daemon): Promise<Map<string, ObservationAdapterStatus>> => {
  const reply = await daemon.get('/api/learn/adapters')
  const { adapters } = reply.json<{ adapters: ObservationAdapterStatus[] }>()
  return new Map(adapters.map((status) => [status.adapter_id, status]))
}

const sweep = (daemon: Daemon): Promise<number> =>
  writeAs(daemon.system, { actor: DAEMON_ACTOR, correlation_id: 'sweep' }, handleLostAdapters)

const OUTSIDE = { observation_mode: 'outside_agent' as const }

test('every adapter kind is listed with its phase; only that of devices is healthy at first', async () => {
  const daemon = await startDaemon()

  const known = await readAdapters(daemon)

  expect([...known.values()].map((status) => status.kind).toSorted()).toEqual(AdapterKind.options.toSorted())
  const healthy = [...known.values()].filter((status) => status.healthy)
  expect(healthy.map((status) => status.kind)).toEqual(['wrapper_receipt'])
  expect(known.get('midi')).toMatchObject({ phase: 'phase_2', enabled: false })
  expect(known.get('browser_dom')).toMatchObject({ phase: 'phase_1', enabled: true })
})

test('an adapter is healthy for 90 seconds after its heartbeat', async () => {
  const daemon = await startDaemon()
  const reply = await sendHeartbeat(daemon, 'chrome-1', 'browser_dom')
  expect(reply.json()).toMatchObject({
    adapter: { adapter_id: 'chrome-1', healthy: true, last_seen_at: '2026-03-01T12:00:00.000Z' },
  })

  daemon.clock.advance(90_000)
  expect((await readAdapters(daemon)).get('chrome-1')?.healthy).toBe(true)
  daemon.clock.advance(1)
  expect((await readAdapters(daemon)).get('chrome-1')?.healthy).toBe(false)
})

test('an adapter that reports an error is unhealthy and has the error code', async () => {
  const daemon = await startDaemon()

  await daemon.post('/api/learn/adapters/chrome-1/heartbeat', {
    kind: 'browser_dom',
    healthy: false,
    last_error_code: 'NO_TAB',
  })

  expect((await readAdapters(daemon)).get('chrome-1')).toMatchObject({
    healthy: false,
    last_error_code: 'NO_TAB',
  })
})

test('requesting an adapter of a later phase fails and leaves the session armed', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed')

  const reply = await daemon.post(`/api/learn/sessions/${id}/start`, {
    requested_adapters: ['midi'],
  })

  expect(reply.statusCode).toBe(503)
  expect(reply.json()).toMatchObject({
    error: {
      code: 'ADAPTER_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('browser_dom'),
    },
  })
  expect(daemon.session(id)?.state).toBe('armed')
  expect(daemon.events()).toEqual([])
})

test('an adapter that nothing reports says what is missing, and no event is made up for it', async () => {
  const daemon = await startDaemon()
  const adapter = (await readAdapters(daemon)).get('browser_dom')
  expect(adapter).toMatchObject({ enabled: true, healthy: false, reason: expect.stringContaining('browser extension') })
  expect((await readAdapters(daemon)).get('wrapper_receipt')?.reason).toBeUndefined()

  const id = await daemon.aSessionIn('armed')
  const reply = await daemon.post(`/api/learn/sessions/${id}/start`, { requested_adapters: ['browser_dom'] })

  expect(reply.statusCode).toBe(503)
  expect(reply.json()).toMatchObject({
    error: {
      code: 'ADAPTER_UNAVAILABLE',
      message: expect.stringContaining('browser extension'),
      details: { adapter_kind: 'browser_dom', reason: adapter?.reason },
    },
  })
  expect(daemon.events()).toEqual([])
})

test('a capture that loses an adapter records an error event and continues with the others', async () => {
  const daemon = await startDaemon()
  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom')
  await sendHeartbeat(daemon, 'shell-1', 'terminal_command')
  const id = await daemon.aSessionIn('capturing', {
    ...OUTSIDE,
    adapters_armed: ['browser_dom', 'terminal_command'],
  })

  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom', false)
  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom', false)

  expect(daemon.session(id)).toMatchObject({
    state: 'capturing',
    adapters_armed: ['terminal_command'],
  })
  expect(daemon.eventsOf(id)).toEqual(['error'])
  const error = daemon.events().find((event) => event.kind === 'error')
  expect(error?.payload).toEqual({
    code: 'ADAPTER_UNAVAILABLE',
    message: expect.stringContaining('browser_dom'),
    retryable: true,
  })
  const reply = await sendEvents(daemon, id, [
    makeEvent(id, { adapter_kind: 'browser_dom' }),
    makeEvent(id, { adapter_kind: 'terminal_command' }),
  ])
  expect(reply.json()).toMatchObject({
    accepted: 1,
    rejected: [{ code: 'ADAPTER_UNAVAILABLE' }],
  })
})

test('a second healthy adapter of the same kind keeps the capture running', async () => {
  const daemon = await startDaemon()
  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom')
  await sendHeartbeat(daemon, 'chrome-2', 'browser_dom')
  const id = await daemon.aSessionIn('capturing', { ...OUTSIDE, adapters_armed: ['browser_dom'] })

  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom', false)

  expect(daemon.session(id)).toMatchObject({ state: 'capturing', adapters_armed: ['browser_dom'] })
  expect(daemon.eventsOf(id)).toEqual([])
})

test('a capture that loses its last adapter is paused and resumes only when the adapter is healthy again', async () => {
  const daemon = await startDaemon()
  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom')
  await sendHeartbeat(daemon, 'shell-1', 'terminal_command')
  const id = await daemon.aSessionIn('capturing', { ...OUTSIDE, adapters_armed: ['browser_dom'] })

  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom', false)

  expect(daemon.session(id)?.state).toBe('paused')
  expect(daemon.eventsOf(id)).toEqual(['error', 'learn.session.state_changed', 'learn.capture.paused'])
  const paused = daemon.events().find((event) => event.kind === 'learn.capture.paused')
  expect(paused?.payload).toEqual({ reason: 'adapter_lost' })
  const early = await daemon.post(`/api/learn/sessions/${id}/resume`)
  expect(early.json()).toMatchObject({ error: { code: 'ADAPTER_UNAVAILABLE' } })

  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom')
  const resumed = await daemon.post(`/api/learn/sessions/${id}/resume`)

  expect(resumed.json()).toMatchObject({ session: { state: 'capturing' } })
  expect(daemon.session(id)?.adapters_armed).toEqual(['browser_dom'])
})

test('a sweep handles silent adapters once, in the captures of all users', async () => {
  const daemon = await startDaemon()
  await sendHeartbeat(daemon, 'chrome-1', 'browser_dom')
  const lost = await daemon.aSessionIn('capturing', { ...OUTSIDE, adapters_armed: ['browser_dom'] })
  const mixed = await daemon.aSessionIn('capturing', {
    owner_user_id: 'bob',
    observation_mode: 'mixed',
    adapters_armed: ['browser_dom', 'wrapper_receipt'],
  })
  const own = await daemon.aSessionIn('capturing', { owner_user_id: 'eve', adapters_armed: ['wrapper_receipt'] })
  expect(await sweep(daemon)).toBe(0)

  daemon.clock.advance(90_001)

  expect(await sweep(daemon)).toBe(2)
  expect(daemon.session(lost)?.state).toBe('paused')
  expect(daemon.session(mixed)).toMatchObject({
    state: 'capturing',
    adapters_armed: ['wrapper_receipt'],
  })
  expect(daemon.eventsOf(own)).toEqual([])
  expect(await sweep(daemon)).toBe(0)
})
