import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { Settings } from '../../src/config/config.ts'
import { adminToken, startDaemon } from '../kit/daemon.ts'
import { FIRST_NOTES, readNotes } from '../runs/run-kit.ts'
import { connectClient, readError, startNotes } from './mcp-client.ts'

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

const send = (url: string, headers: Record<string, string>, body: unknown = initialize) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  })

test('a token is required, and a token may do over MCP only what it may do over the API', async () => {
  const { daemon, url } = await startNotes()
  expect((await send(url, {})).status).toBe(401)
  expect((await send(url, { authorization: 'Bearer wrong-token-0123456789' })).status).toBe(401)

  const reader = await connectClient(url, { token: await daemon.tokenFor('local', 'read') })
  const found = await reader.callTool({ name: 'find_abilities', arguments: { query: 'reply fast' } })
  expect(found.structuredContent).toMatchObject({ matches: [{ ability_id: 'learned.add-note' }] })
  const inputs = { title: 'a', body: 'b' }
  const run = { name: 'run_ability', arguments: { ability_id: 'learned.add-note', inputs } }
  const refused = await reader.callTool(run)
  expect(readError(refused).code).toBe('FORBIDDEN')
  expect(readNotes(daemon)).toHaveLength(FIRST_NOTES)

  const stranger = await connectClient(url, { token: await daemon.tokenFor('bob', 'write') })
  const hidden = await stranger.callTool(run)
  expect(readError(hidden).code).toBe('ABILITY_NOT_FOUND')
  expect((await stranger.listTools()).tools.map(({ name }) => name)).not.toContain('ability_add_note')
})

test('a session belongs to the token that opened it, and ends when its client deletes it', async () => {
  const { daemon, url } = await startNotes()
  const own = { authorization: `Bearer ${await daemon.tokenFor('ann', 'write')}` }
  const other = { authorization: `Bearer ${await daemon.tokenFor('bob', 'write')}` }
  const opened = await send(url, own)
  expect(opened.status).toBe(200)
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await opened.body?.cancel()
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }
  expect((await send(url, { ...other, ...session }, list)).status).toBe(404)
  expect((await send(url, { ...own, ...session }, list)).status).toBe(200)
  const ended = await fetch(`${url}/mcp`, { method: 'DELETE', headers: { ...own, ...session } })
  expect(ended.status).toBe(200)
  expect((await send(url, { ...own, ...session }, list)).status).toBe(404)
})

test('revoking a token ends its sessions and their streams at once', async () => {
  const { daemon, url } = await startNotes()
  const issued = await daemon.post('/api/tokens', { user_id: 'ann', label: 'agent', privilege: 'write' })
  const { secret, token } = issued.json<{ secret: string; token: { token_id: string } }>()
  const opened = await send(url, { authorization: `Bearer ${secret}` })
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
  await opened.body?.cancel()
  const stream = await fetch(`${url}/mcp`, {
    headers: { authorization: `Bearer ${secret}`, accept: 'text/event-stream', ...session },
  })
  expect(stream.status).toBe(200)
  const ended = stream.text().then(
    () => 'ended',
    () => 'ended',
  )
  await daemon.delete(`/api/tokens/${token.token_id}`)
  expect(await ended).toBe('ended')
  expect((await send(url, { authorization: `Bearer ${secret}`, ...session })).status).toBe(401)
})

test('the rules of the API for hosts, origins and the rate of requests hold for MCP', async () => {
  const limits = { ...Settings.parse({}).limits, requests_per_second: 1, request_burst: 3 }
  const daemon = await startDaemon({ settings: { limits } })
  const post = async (headers: Record<string, string>) => {
    const reply = await daemon.request({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', ...headers },
      payload: initialize,
    })
    return reply.statusCode
  }
  expect(await post({ host: 'evil.example' })).toBeGreaterThanOrEqual(400)
  for (const origin of ['http://evil.example', 'null']) expect(await post({ origin })).toBe(403)
  daemon.clock.advance(60_000)
  expect(await post({ origin: 'http://localhost:6274' })).toBe(200)
  expect([await post({}), await post({}), await post({})]).toContain(429)
})

test('older revisions of the protocol are negotiated', async () => {
  const { daemon, url } = await startNotes()
  const authorization = `Bearer ${await daemon.tokenFor('ann', 'write')}`
  for (const protocolVersion of ['2025-11-25', '2025-06-18', '2025-03-26']) {
    const reply = await send(
      url,
      { authorization },
      { ...initialize, params: { ...initialize.params, protocolVersion } },
    )
    expect(await reply.text()).toContain(`"protocolVersion":"${protocolVersion}"`)
  }
})

test('a client that first looks for a newer revision falls back to one that the server has', async () => {
  const { url } = await startNotes()
  const client = new Client({ name: 'newer', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const requestInit = { headers: { authorization: `Bearer ${adminToken}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  onTestFinished(() => client.close())
  expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
  const found = await client.callTool({ name: 'find_abilities', arguments: { query: 'reply fast' } })
  expect(found.structuredContent).toMatchObject({ matches: [{ ability_id: 'learned.add-note' }] })
})

test('arguments that do not fit are refused by the name of the field, and unknown tools by name', async () => {
  const { url } = await startNotes()
  const client = await connectClient(url)
  const wrong = await client.callTool({ name: 'run_ability', arguments: { ability_id: 5 } })
  expect(readError(wrong)).toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining('ability_id') })
  const unknown = await client.callTool({ name: 'no_such_tool', arguments: {} })
  expect(readError(unknown).code).toBe('NOT_FOUND')
})
