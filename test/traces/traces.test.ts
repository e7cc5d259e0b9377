import { expect, test } from 'vitest'
import { readTraceContext } from '../../src/traces/traces.ts'
import { startDaemon } from '../kit/daemon.ts'
import { connectTools } from '../connectors/call-kit.ts'
import { register } from '../connectors/connector-kit.ts'
import { startToolServer } from '../connectors/tool-server.ts'
import { connectClient } from '../mcp/mcp-client.ts'
import { addNote, installRecipes } from '../runs/run-kit.ts'
import { buildResultScript, SKILL_ID, startSkillDaemon } from '../skill-runs/skill-daemon.ts'
import { listAncestors, startCollector } from './collector.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'
const CLIENT_SPAN = 'b7ad6b7169203331'
const HEADERS = { traceparent: `00-${TRACE_ID}-${CLIENT_SPAN}-01`, tracestate: 'vendor=1' }
const RUN_ROUTE = 'POST /api/abilities/:abilityId/run'

test('a run is one trace: request, command, job, execution and steps, within the span of the client', async () => {
  const collector = await startCollector()
  const config = { phone: 'simulated' as const, tracesEndpoint: collector.url }
  const daemon = await startDaemon({ quick: true, config })
  await installRecipes(daemon, { 'add-note': addNote })
  const inputs = { title: 'A private title', body: 'A private text' }
  const reply = await daemon.request({
    method: 'POST',
    url: '/api/abilities/learned.add-note/run',
    payload: { inputs, wait_ms: 60_000 },
    headers: HEADERS,
  })
  expect(reply.json()).toMatchObject({ run: { state: 'success' } })
  await daemon.stop()

  const { spans } = collector
  const own = spans.filter(({ traceId }) => traceId === TRACE_ID)
  const step = own.find(({ name, attributes }) => name === 'step click' && attributes[0]?.value.stringValue === 'save')
  expect(listAncestors(own, step)).toEqual([
    'step click',
    'execution',
    'job device.execution',
    `command ${RUN_ROUTE}`,
    RUN_ROUTE,
  ])
  const request = own.find(({ name }) => name === RUN_ROUTE)
  expect(request).toMatchObject({ parentSpanId: CLIENT_SPAN, kind: 2 })
  expect(reply.headers['traceresponse']).toBe(`00-${TRACE_ID}-${request?.spanId}-01`)
  expect(own.filter(({ name }) => name.startsWith('step ')).length).toBeGreaterThanOrEqual(addNote.steps.length)
  for (const text of Object.values(inputs)) expect(collector.text()).not.toContain(text)
})

test('a request without a context, or with a malformed one, begins a trace of its own', async () => {
  const collector = await startCollector()
  const daemon = await startDaemon({ config: { tracesEndpoint: collector.url } })
  await daemon.get('/api/devices')
  await daemon.request({ method: 'GET', url: '/api/tokens', headers: { traceparent: '00-zz-1-01' } })
  await daemon.request({ method: 'GET', url: '/api/learn/sessions/x', token: null, headers: HEADERS })
  await daemon.stop()
  const [devices, tokens, refused] = collector.spans
  expect(devices).toMatchObject({ name: 'GET /api/devices' })
  expect(devices).not.toHaveProperty('parentSpanId')
  expect(tokens?.traceId).not.toBe(devices?.traceId)
  expect(refused?.traceId).toBe(TRACE_ID)
  expect(readTraceContext({ traceparent: HEADERS.traceparent, tracestate: 'x'.repeat(600) })).toEqual({
    traceparent: HEADERS.traceparent,
  })
})

test('a tool call over MCP belongs to the trace that its client names', async () => {
  const collector = await startCollector()
  const daemon = await startDaemon({ config: { tracesEndpoint: collector.url } })
  const client = await connectClient((await daemon.listen()).url)
  await client.callTool({ name: 'find_abilities', arguments: { query: 'anything' }, _meta: HEADERS })
  await client.close()
  await daemon.stop()
  const inner = collector.spans.find(({ name }) => name === 'POST /api/abilities/lookup')
  expect(inner).toMatchObject({ traceId: TRACE_ID, parentSpanId: CLIENT_SPAN })
})

test('what a script of a skill does belongs to the trace of its run', async () => {
  const collector = await startCollector()
  const script = `
    const { execFileSync } = require('node:child_process')
    const actions = [{ id: 'look', type: 'snapshot' }]
    const payload = { commandId: 'a', taskId: 'a', source: 'a', expectedFormat: 'android-ui-automator', timeoutMs: 20000, actions }
    execFileSync(process.env.CLAWPERATOR_BIN, ['exec', JSON.stringify(payload), '--device', process.argv[2]])
    ${buildResultScript()}`
  const config = { phone: 'simulated' as const, tracesEndpoint: collector.url }
  const { daemon } = await startSkillDaemon(script, { quick: true, config })
  await daemon.listen()
  const serial = daemon.system.devices.phone.simulated?.serial
  const run = await daemon.request({
    method: 'POST',
    url: `/api/skills/by-id/${SKILL_ID}/run`,
    payload: { serial, wait_ms: 60_000 },
    headers: HEADERS,
  })
  expect(run.json(), run.body).toMatchObject({ run: { state: 'success' } })
  await daemon.stop()
  const { spans } = collector
  const step = spans.find(({ name }) => name.startsWith('step snapshot'))
  expect(step?.traceId).toBe(TRACE_ID)
  expect(listAncestors(spans, step).slice(1)).toEqual([
    'execution',
    'job device.execution',
    'command POST /api/skill-runs/:runId/call',
    'POST /api/skill-runs/:runId/call',
    'job skill.run',
    'command POST /api/skills/by-id/:skillId/run',
    'POST /api/skills/by-id/:skillId/run',
  ])
})

test('a call to a connector is a span of its own, and the server gets its context', async () => {
  const collector = await startCollector()
  const daemon = await startDaemon({ config: { tracesEndpoint: collector.url } })
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url, supported_tools: ['read_note'] })
  const { server_id } = registry
  const url = `/api/mcp/servers/${server_id}/smoke-test`
  const payload = { server_id, tool_name: 'read_note' }
  const tested = await daemon.request({ method: 'POST', url, payload, headers: HEADERS })
  expect(tested.json(), tested.body).toMatchObject({ status: 'passed' })
  remote.status = 500
  await daemon.request({ method: 'POST', url, payload, headers: HEADERS })
  await daemon.stop()

  const [call, failed] = collector.spans.filter(({ name }) => name === 'connector call')
  expect(call).toMatchObject({ traceId: TRACE_ID, kind: 3, status: { code: 0 } })
  expect(listAncestors(collector.spans, call)).toEqual(['connector call', 'POST /api/mcp/servers/:serverId/smoke-test'])
  expect(remote.traceparents).toEqual([`00-${TRACE_ID}-${call?.spanId}-01`])
  expect(failed).toMatchObject({ status: { code: 2 } })
})

test('a call of a connector tool is a span within its job, and the server gets its context', async () => {
  const collector = await startCollector()
  const daemon = await startDaemon({ config: { tracesEndpoint: collector.url } })
  const { remote, server_id } = await connectTools(daemon)
  const url = '/api/capabilities/connectors/call'
  const payload = { server_id, tool_name: 'read_note', arguments: { title: 'A private title' } }
  const made = await daemon.request({ method: 'POST', url, payload, headers: HEADERS })
  expect(made.json(), made.body).toMatchObject({ status: 'succeeded' })
  remote.status = 500
  await daemon.request({ method: 'POST', url, payload, headers: HEADERS })
  await daemon.stop()

  const own = collector.spans.filter(({ traceId }) => traceId === TRACE_ID)
  const [call, failed] = own.filter(({ name }) => name === 'connector call')
  expect(call).toMatchObject({ kind: 3, status: { code: 0 } })
  expect(listAncestors(own, call)).toEqual([
    'connector call',
    'job connector.dispatch',
    `command POST ${url}`,
    `POST ${url}`,
  ])
  expect(remote.traceparents.at(-1)).toBe(`00-${TRACE_ID}-${call?.spanId}-01`)
  expect(failed).toMatchObject({ status: { code: 2 } })
  expect(collector.text()).not.toContain('A private title')
})
