import { expect, test } from 'vitest'
import type { ObservedActionEvent } from '@apprentice/contracts/learn/observation.ts'
import { approve, askToWrite, call, connectTools, decide, waitForEnd } from '../connectors/call-kit.ts'
import { patch } from '../connectors/connector-kit.ts'
import { type Daemon, startDaemon } from '../kit/daemon.ts'

const SESSIONS_URL = '/api/learn/sessions'

async function startCapture(daemon: Daemon, token?: string): Promise<{ id: string; adapters_armed: string[] }> {
  const body = { entry_mode: 'demonstrating_skill', observation_mode: 'inside_agent' }
  const created = (await daemon.post(SESSIONS_URL, body, token)).json<{ session: { learn_session_id: string } }>()
  const id = created.session.learn_session_id
  const started = await daemon.post(`${SESSIONS_URL}/${id}/start`, undefined, token)
  return { id, adapters_armed: started.json<{ adapters_armed: string[] }>().adapters_armed }
}

const listEvents = async (daemon: Daemon, id: string, token?: string): Promise<ObservedActionEvent[]> =>
  (await daemon.get(`${SESSIONS_URL}/${id}/observations`, token)).json<{ events: ObservedActionEvent[] }>().events

const readAdapter = async (daemon: Daemon) =>
  (await daemon.get('/api/learn/adapters'))
    .json<{ adapters: { kind: string; healthy: boolean; last_error_code?: string }[] }>()
    .adapters.find(({ kind }) => kind === 'mcp_receipt')

test('calls of connectors are observed while a session captures, without what was sent or answered', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  await call(daemon, server_id, 'read_note')
  const { id, adapters_armed } = await startCapture(daemon)
  expect(adapters_armed).toContain('mcp_receipt')
  await call(daemon, server_id, 'read_note', { arguments: { title: 'a private title' } })
  const written = await askToWrite(daemon, server_id)
  expect(await listEvents(daemon, id)).toHaveLength(1)
  await approve(daemon, written)
  await waitForEnd(daemon, written)
  const events = await listEvents(daemon, id)
  const common = { adapter_kind: 'mcp_receipt', control_surface: 'mcp_connector', app_family: server_id }
  expect(events).toMatchObject([
    { ...common, target_ref: `mcp:${server_id}/read_note`, caused_state_change: false },
    { ...common, target_ref: `mcp:${server_id}/write_note`, caused_state_change: true, event_id: written },
  ])
  expect(events[0]?.action_label).toContain('read_note of Notes server')
  expect(JSON.stringify(events)).not.toMatch(/private title|a note/)
})

test('calls that failed or were denied, of other users, or outside a capture are not observed', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const { id } = await startCapture(daemon)
  const other = await daemon.tokenFor('ada')
  await call(daemon, server_id, 'read_note', { token: other })
  remote.status = 500
  await call(daemon, server_id, 'read_note')
  remote.status = undefined
  await decide(daemon, await askToWrite(daemon, server_id), 'deny')
  await daemon.post(`${SESSIONS_URL}/${id}/pause`)
  await call(daemon, server_id, 'read_note')
  await daemon.post(`${SESSIONS_URL}/${id}/resume`)
  expect(await listEvents(daemon, id)).toEqual([])
})

test('the adapter is healthy and armed only if a connector server is enabled', async () => {
  const daemon = await startDaemon()
  expect(await readAdapter(daemon)).toMatchObject({ healthy: false, last_error_code: 'no_connector_server' })
  const first = await startCapture(daemon)
  expect(first.adapters_armed).toEqual(['wrapper_receipt'])
  await daemon.post(`${SESSIONS_URL}/${first.id}/cancel`, {})
  const { server_id } = await connectTools(daemon)
  expect(await readAdapter(daemon)).toMatchObject({ healthy: true })
  const { id } = await startCapture(daemon)
  await patch(daemon, `/api/mcp/servers/${server_id}`, { enabled: false })
  expect(await readAdapter(daemon)).toMatchObject({ healthy: false })
  await daemon.system.sweeper.sweepNow()
  expect(daemon.session(id)).toMatchObject({ state: 'capturing', adapters_armed: ['wrapper_receipt'] })
})

test('a capture of connector calls becomes a trace that names their surface', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  const { id } = await startCapture(daemon)
  await call(daemon, server_id, 'read_note')
  await call(daemon, server_id, 'read_note')
  const stopped = await daemon.post(`${SESSIONS_URL}/${id}/stop`)
  expect(stopped.json()).toMatchObject({ captured_event_count: 2, captured_trace_ids: [expect.any(String)] })
  await daemon.waitForProjections()
  const [trace = ''] = stopped.json<{ captured_trace_ids: string[] }>().captured_trace_ids
  const lines = daemon.readProjection('capabilities/traces.jsonl') ?? ''
  const written = lines.split('\n').find((line) => line.includes(trace)) ?? '{}'
  expect(JSON.parse(written)).toMatchObject({ surfaces_attempted: ['mcp_connector'], steps: [{}, {}] })
})
