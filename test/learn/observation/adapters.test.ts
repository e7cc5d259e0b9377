import { expect, test } from 'vitest'
import {
  AdapterKind,
  type ObservationAdapterStatus,
} from '@apprentice/contracts/learn/observation.ts'
import { sweepLostAdapters } from '../../../src/domain/capture/adapter-loss.ts'
import { type Daemon, startDaemon } from '../../kit/daemon.ts'
import { anEvent, send } from './capturing.ts'

const beat = (daemon: Daemon, adapterId: string, kind: AdapterKind, healthy = true) =>
  daemon.post(`/api/learn/adapters/${adapterId}/heartbeat`, { kind, healthy })

const adapters = async (daemon: Daemon): Promise<Map<string, ObservationAdapterStatus>> => {
  const reply = await daemon.get('/api/learn/adapters')
  const { adapters } = reply.json<{ adapters: ObservationAdapterStatus[] }>()
  return new Map(adapters.map((status) => [status.adapter_id, status]))
}

const sweep = (daemon: Daemon): Promise<number> =>
  daemon.system.store.write((tx) =>
    sweepLostAdapters({
      tx,
      now: daemon.clock.now.toISOString(),
      actor: { kind: 'system', user_id: 'nobody' },
      correlation_id: 'sweep',
      newId: daemon.system.newId,
    }),
  )

const outside = { observation_mode: 'outside_agent' as const }

test('every kind is listed with its phase; only what the daemon feeds itself is healthy at first', async () => {
  const daemon = await startDaemon()

  const known = await adapters(daemon)

  expect([...known.values()].map((status) => status.kind).toSorted()).toEqual(
    AdapterKind.options.toSorted(),
  )
  const healthy = [...known.values()].filter((status) => status.healthy)
  expect(healthy.map((status) => status.kind)).toEqual(['mcp_receipt', 'wrapper_receipt'])
  expect(known.get('midi')).toMatchObject({ phase: 'phase_2', enabled: false })
  expect(known.get('browser_dom')).toMatchObject({ phase: 'phase_1', enabled: true })
})

test('an adapter is healthy from its heartbeat until 90 seconds of silence', async () => {
  const daemon = await startDaemon()
  const reply = await beat(daemon, 'chrome-1', 'browser_dom')
  expect(reply.json()).toMatchObject({
    adapter: { adapter_id: 'chrome-1', healthy: true, last_seen_at: '2026-03-01T12:00:00.000Z' },
  })

  daemon.clock.advance(90_000)
  expect((await adapters(daemon)).get('chrome-1')?.healthy).toBe(true)
  daemon.clock.advance(1)
  expect((await adapters(daemon)).get('chrome-1')?.healthy).toBe(false)
})

test('an adapter that reports an ailment is unhealthy and says which', async () => {
  const daemon = await startDaemon()

  await daemon.post('/api/learn/adapters/chrome-1/heartbeat', {
    kind: 'browser_dom',
    healthy: false,
    last_error_code: 'NO_TAB',
  })

  expect((await adapters(daemon)).get('chrome-1')).toMatchObject({
    healthy: false,
    last_error_code: 'NO_TAB',
  })
})

test('an adapter of a later phase asked for by name leaves the session armed', async () => {
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

test('a capture that loses one adapter says so and goes on with the rest', async () => {
  const daemon = await startDaemon()
  await beat(daemon, 'chrome-1', 'browser_dom')
  await beat(daemon, 'shell-1', 'terminal_command')
  const id = await daemon.aSessionIn('capturing', {
    ...outside,
    adapters_armed: ['browser_dom', 'terminal_command'],
  })

  await beat(daemon, 'chrome-1', 'browser_dom', false)
  await beat(daemon, 'chrome-1', 'browser_dom', false)

  expect(daemon.session(id)).toMatchObject({
    state: 'capturing',
    adapters_armed: ['terminal_command'],
  })
  expect(daemon.eventsOf(id)).toEqual(['error'])
  const told = daemon.events().find((event) => event.kind === 'error')
  expect(told?.payload).toEqual({
    code: 'ADAPTER_UNAVAILABLE',
    message: expect.stringContaining('browser_dom'),
    retryable: true,
  })
  const reply = await send(daemon, id, [
    anEvent(id, { adapter_kind: 'browser_dom' }),
    anEvent(id, { adapter_kind: 'terminal_command' }),
  ])
  expect(reply.json()).toMatchObject({
    accepted: 1,
    rejected: [{ code: 'ADAPTER_UNAVAILABLE' }],
  })
})

test('a second adapter of the same kind stands in for a lost one', async () => {
  const daemon = await startDaemon()
  await beat(daemon, 'chrome-1', 'browser_dom')
  await beat(daemon, 'chrome-2', 'browser_dom')
  const id = await daemon.aSessionIn('capturing', { ...outside, adapters_armed: ['browser_dom'] })

  await beat(daemon, 'chrome-1', 'browser_dom', false)

  expect(daemon.session(id)?.state).toBe('capturing')
  expect(daemon.eventsOf(id)).toEqual([])
})

test('a capture that loses its last adapter pauses, and resumes only when it is back', async () => {
  const daemon = await startDaemon()
  await beat(daemon, 'chrome-1', 'browser_dom')
  await beat(daemon, 'shell-1', 'terminal_command')
  const id = await daemon.aSessionIn('capturing', { ...outside, adapters_armed: ['browser_dom'] })

  await beat(daemon, 'chrome-1', 'browser_dom', false)

  expect(daemon.session(id)?.state).toBe('paused')
  expect(daemon.eventsOf(id)).toEqual([
    'error',
    'learn.session.state_changed',
    'learn.capture.paused',
  ])
  const paused = daemon.events().find((event) => event.kind === 'learn.capture.paused')
  expect(paused?.payload).toEqual({ reason: 'adapter_lost' })
  const early = await daemon.post(`/api/learn/sessions/${id}/resume`)
  expect(early.json()).toMatchObject({ error: { code: 'ADAPTER_UNAVAILABLE' } })

  await beat(daemon, 'chrome-1', 'browser_dom')
  const resumed = await daemon.post(`/api/learn/sessions/${id}/resume`)

  expect(resumed.json()).toMatchObject({ session: { state: 'capturing' } })
  expect(daemon.session(id)?.adapters_armed).toEqual(['browser_dom'])
})

test("a sweep finds adapters gone silent, in every user's capture, and finds them once", async () => {
  const daemon = await startDaemon()
  await beat(daemon, 'chrome-1', 'browser_dom')
  const lost = await daemon.aSessionIn('capturing', { ...outside, adapters_armed: ['browser_dom'] })
  const mixed = await daemon.aSessionIn('capturing', {
    owner_user_id: 'bob',
    observation_mode: 'mixed',
    adapters_armed: ['browser_dom', 'wrapper_receipt'],
  })
  const own = await daemon.aSessionIn('capturing', { owner_user_id: 'eve' })
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
