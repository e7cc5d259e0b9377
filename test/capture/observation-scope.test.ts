import { expect, test } from 'vitest'
import { LearnSessionState, type ObservationMode } from '@apprentice/contracts/learn/session.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { captureEvents } from './capturing.ts'

const readScope = async (daemon: Daemon, id: string) => {
  const reply = await daemon.get(`/api/learn/sessions/${id}/observation-scope`)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<Record<string, unknown>>()
}

test('the scope of an armed session has no active adapters', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('armed', { target_app_whitelist: ['Notes'] })

  expect(await readScope(daemon, id)).toEqual({
    learn_session_id: id,
    session_id: id,
    adapters_active: [],
    data_classes_observed: [],
    redaction_modes: {},
    scope: 'inside_agent',
    target_app_whitelist: ['Notes'],
    off_target_events_dropped: 0,
    observation_mode: 'watch_actions',
    capture_state: 'idle',
    active_runtime: 'none',
    started_at: '2026-03-01T12:00:00.000Z',
    schema_version: 1,
  })
})

test('the scope follows a capture from start to stop', async () => {
  const daemon = await startDaemon()
  const created = await daemon.post('/api/learn/sessions', {
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
  })
  const id = created.json<{ session: { learn_session_id: string } }>().session.learn_session_id
  const url = `/api/learn/sessions/${id}`
  daemon.clock.advance(1000)
  const started = await daemon.post(`${url}/start`)
  expect(started.json()).toMatchObject({
    observation_active: true,
    adapters_armed: ['wrapper_receipt'],
  })
  await captureEvents(daemon, id, 1)

  expect(await readScope(daemon, id)).toMatchObject({
    adapters_active: ['wrapper_receipt'],
    data_classes_observed: ['script_receipts'],
    redaction_modes: { wrapper_receipt: 'mask_text' },
    capture_state: 'capturing',
    active_runtime: 'openclaw_native',
    started_at: '2026-03-01T12:00:01.000Z',
  })

  await daemon.post(`${url}/pause`)
  expect(await readScope(daemon, id)).toMatchObject({
    adapters_active: [],
    capture_state: 'paused',
    active_runtime: 'none',
  })

  daemon.clock.advance(1000)
  await daemon.post(`${url}/stop`)
  const stopped = await readScope(daemon, id)
  expect(stopped).toMatchObject({
    adapters_active: [],
    capture_state: 'stopped',
    started_at: '2026-03-01T12:00:01.000Z',
    stopped_at: '2026-03-01T12:00:02.000Z',
  })
})

test.each(LearnSessionState.options)('the capture state of a session in state %s', async (state) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn(state)
  const expected = {
    idle: 'idle',
    armed: 'idle',
    capturing: 'capturing',
    paused: 'paused',
  } as Record<string, string>

  expect(await readScope(daemon, id)).toMatchObject({
    capture_state: expected[state] ?? 'stopped',
  })
})

test.each<[ObservationMode, string, string]>([
  ['none', 'none', 'none'],
  ['inside_agent', 'watch_actions', 'openclaw_native'],
  ['outside_agent', 'watch_actions', 'bridge_observer'],
  ['mixed', 'watch_actions', 'bridge_observer'],
])('the scope of a capture with observation mode %s', async (observation_mode, mode, active_runtime) => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', { observation_mode })

  expect(await readScope(daemon, id)).toMatchObject({
    scope: observation_mode,
    observation_mode: mode,
    active_runtime,
  })
})

test('the scope reports that typed text is stored unmasked', async () => {
  const daemon = await startDaemon()
  const id = await daemon.aSessionIn('capturing', { text_capture_consent: true })

  expect(await readScope(daemon, id)).toMatchObject({
    redaction_modes: { mcp_receipt: 'mask_text', wrapper_receipt: 'none' },
  })
})
