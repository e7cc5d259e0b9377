import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { CapabilityUseReceipt } from '@apprentice/contracts/abilities/runs.ts'
import type { ConnectorCall, ConnectorTool } from '@apprentice/contracts/connectors/dispatch.ts'
import { findProfile, upsertProfile } from '../../../src/store/connectors/auth-profiles.ts'
import { decide, listPending, readCall, waitForEnd } from '../call-kit.ts'
import { patch, readCode, readServers, smokeTest } from '../connector-kit.ts'
import { fail } from './graph-reply.ts'
import {
  addServer,
  ALL_SCOPES,
  approveFamily,
  askFamily,
  callFamily,
  connectM365,
  type M365Server,
  readFamily,
  signInTo,
  startM365,
} from './m365-kit.ts'

const SEARCH = { query: 'roof' }
const EVENT = { title: 'x', start_time: '2026-03-03T09:00:00Z', end_time: '2026-03-03T10:00:00Z', attendee_emails: [] }
const HOUR_MS = 3_600_000

const readServer = async ({ daemon, server_id }: M365Server) =>
  (await readServers(daemon)).find(({ registry }) => registry.server_id === server_id)

const listReceipts = async ({ daemon }: M365Server, kind = '') =>
  (await daemon.get(`/api/mcp/receipts${kind === '' ? '' : `?receipt_kind=${kind}`}`)).json<{
    receipts: { receipt_kind: string; status: string; correlation_id: string }[]
  }>().receipts

test('m365_auto_refresh_once: an expired token is refreshed once, and then a person has to sign in', async () => {
  const server = await connectM365()
  const { authority, daemon, graph } = server
  daemon.clock.advance(2 * HOUR_MS)
  await readFamily(server, 'outlook_mail_search', SEARCH)
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token'])
  daemon.clock.advance(2 * HOUR_MS)
  await authority.forget()
  graph.requests.length = 0
  const refused = await callFamily(server, 'outlook_mail_search', SEARCH)
  expect([refused.statusCode, readCode(refused)]).toEqual([401, 'M365_AUTH_EXPIRED'])
  // The refresh was refused; its answer holds no token.
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token'])
  expect(graph.requests).toEqual([])
  expect(await readServer(server)).toMatchObject({
    auth: { auth_state: 'challenge_required', last_auth_error_code: 'invalid_grant' },
    badge_states: ['auth_required'],
  })
  const { dispatch_id } = refused.json<{ error: { details: { dispatch_id: string } } }>().error.details
  expect(await readCall(daemon, dispatch_id)).toMatchObject({
    status: 'failed',
    result: { structured_content: { status: 'blocked', error_code: 'M365_AUTH_EXPIRED' } },
  })
  expect((await listReceipts(server, 'auth_refresh')).map(({ status }) => status)).toEqual(['failed', 'ok'])
  // The next call does not try again: a person has to sign in.
  expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('M365_AUTH_EXPIRED')
  expect(authority.grants).toHaveLength(3)
  await signInTo(server)
  await readFamily(server, 'outlook_mail_search', SEARCH)
})

test('a token that Graph refuses is refreshed once and the request sent once more, and not twice', async () => {
  const server = await connectM365()
  const { authority, graph } = server
  graph.findScopes = () => Promise.resolve(undefined)
  graph.requests.length = 0
  const refused = await callFamily(server, 'outlook_mail_search', SEARCH)
  expect([refused.statusCode, readCode(refused)]).toEqual([401, 'M365_AUTH_EXPIRED'])
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token'])
  expect(graph.requests).toHaveLength(2)
  expect(await readServer(server)).toMatchObject({ auth: { auth_state: 'challenge_required' } })
})

test('an expired token is not refreshed if the policy of the profile is manual', async () => {
  const server = await connectM365({ profile: { refresh_policy: 'manual' } })
  server.daemon.clock.advance(2 * HOUR_MS)
  expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('M365_AUTH_EXPIRED')
  expect(server.authority.grants).toEqual(['authorization_code'])
})

test('a refused refresh of a server in the background leaves the profile expired, and asks nobody', async () => {
  const kit = await startM365()
  const families = { supported_tools: ['outlook_mail_search'] }
  const interactive = await addServer(kit, { server: families })
  await signInTo(interactive)
  const { auth_profile_id, authority, daemon } = interactive
  const background = { ...families, interaction_mode: 'background_service', auth_profile_id }
  const reply = await daemon.post('/api/mcp/servers/register', {
    provider: 'm365',
    display_name: 'Nightly',
    transport: 'provider_native',
    ...background,
  })
  const { server_id } = reply.json<{ server: { registry: { server_id: string } } }>().server.registry
  const server = { ...interactive, server_id }
  await readFamily(server, 'outlook_mail_search', SEARCH)
  daemon.clock.advance(2 * HOUR_MS)
  await authority.forget()
  expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('M365_AUTH_EXPIRED')
  expect(await readServer(server)).toMatchObject({ auth: { auth_state: 'expired' } })
  expect(await listReceipts(server, 'auth_challenge')).toEqual([])
})

test('a missing scope blocks a call before anything is sent, and the next sign-in asks for it', async () => {
  const kit = await startM365()
  const scopes = ['openid', 'User.Read', 'Files.Read.All', 'Sites.Read.All']
  const tools = { operation_families: ['search', 'outlook_mail_search'], requested_scopes: ['Mail.Read'] }
  kit.authority.allowed = scopes
  const server = await addServer(kit, { profile: { scopes }, server: { m365: tools } })
  await signInTo(server)
  kit.graph.requests.length = 0
  const refused = await callFamily(server, 'outlook_mail_search', SEARCH)
  expect([refused.statusCode, readCode(refused)]).toEqual([400, 'M365_SCOPE_MISSING'])
  const { details } = refused.json<{ error: { details: Record<string, unknown> } }>().error
  expect(details).toMatchObject({
    missing_scopes: ['Mail.Read'],
    granted_scopes: expect.arrayContaining(['User.Read']),
  })
  expect(kit.graph.requests).toEqual([])
  expect(await readCall(server.daemon, String(details['dispatch_id']))).toMatchObject({
    status: 'failed',
    error_code: 'M365_SCOPE_MISSING',
    result: { structured_content: { status: 'blocked', missing_scopes: ['Mail.Read'] } },
  })
  const { receipts } = (await server.daemon.get('/api/capabilities/receipts')).json<{
    receipts: CapabilityUseReceipt[]
  }>()
  expect(receipts[0]).toMatchObject({ result: 'failure', dispatch_id: details['dispatch_id'] })
  expect(await listReceipts(server, 'auth_challenge')).toMatchObject([{ status: 'blocked' }])
  kit.authority.allowed = ['openid', ...ALL_SCOPES]
  await signInTo(server)
  await readFamily(server, 'outlook_mail_search', SEARCH)
})

test('a search leaves out mail if the token lacks its scope, and says so only if mail was asked for', async () => {
  const kit = await startM365()
  const scopes = ['openid', 'User.Read', 'Files.Read.All', 'Sites.Read.All']
  const server = await addServer(kit, { profile: { scopes }, server: { supported_tools: ['search'] } })
  await signInTo(server)
  expect(await readFamily(server, 'search', SEARCH)).toMatchObject({ status: 'ok', missing_scopes: [] })
  const asked = { ...SEARCH, entity_filters: ['files', 'mail'] }
  expect(await readFamily(server, 'search', asked)).toMatchObject({ status: 'degraded', missing_scopes: ['Mail.Read'] })
  const only = await callFamily(server, 'search', { ...SEARCH, entity_filters: ['mail'] })
  expect(readCode(only)).toBe('M365_SCOPE_MISSING')
})

test('a scope that was lost after the approval blocks the call when it is made', async () => {
  const server = await connectM365()
  const { authority, daemon, graph, server_id } = server
  const id = await askFamily(server, 'calendar_create_event', EVENT)
  const before = graph.state.events.length
  authority.allowed = [...authority.allowed].filter((scope) => scope !== 'Calendars.ReadWrite')
  daemon.clock.advance(1000)
  await signInTo(server)
  await decide(daemon, id)
  expect(await waitForEnd(daemon, id)).toMatchObject({ status: 'failed', error_code: expect.stringMatching(/^M365_/) })
  expect(graph.state.events).toHaveLength(before)
  expect((await readServers(daemon)).map(({ registry }) => registry.server_id)).toEqual([server_id])
})

test('429 and 503 with Retry-After set the throttle state, and three of them do not degrade', async () => {
  const server = await connectM365()
  const { daemon, graph } = server
  await readFamily(server, 'outlook_mail_search', SEARCH)
  for (const [status, state] of [
    [429, 'rate_limited'],
    [503, 'server_backoff'],
    [429, 'rate_limited'],
  ] as const) {
    graph.intercept = () => fail(status, 'TooManyRequests', { 'retry-after': '30' })
    const reply = await callFamily(server, 'outlook_mail_search', SEARCH)
    expect([reply.statusCode, readCode(reply)]).toEqual([429, 'MCP_THROTTLED'])
    const { dispatch_id } = reply.json<{ error: { details: { dispatch_id: string } } }>().error.details
    expect((await readCall(daemon, dispatch_id)).result?.structured_content).toMatchObject({
      status: 'failed',
      throttle_state: { state, retry_after_ms: 30_000 },
    })
    expect((await readServer(server))?.health).toMatchObject({ health_status: 'healthy', throttle_state: { state } })
    graph.intercept = () => undefined
    const asked = graph.requests.length
    expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('MCP_THROTTLED')
    expect(graph.requests).toHaveLength(asked)
    daemon.clock.advance(31_000)
  }
  await readFamily(server, 'outlook_mail_search', SEARCH)
})

test('a throttled part of a batch throttles the call', async () => {
  const server = await connectM365()
  server.graph.intercept = (_method, path) =>
    path === '/search/query' ? fail(429, 'TooManyRequests', { 'Retry-After': '7' }) : undefined
  const reply = await callFamily(server, 'search', SEARCH)
  expect(readCode(reply)).toBe('MCP_THROTTLED')
  expect((await readServer(server))?.health.throttle_state).toMatchObject({
    state: 'rate_limited',
    retry_after_ms: 7000,
  })
})

test('faults of Graph degrade the server, and refusals do not', async () => {
  const server = await connectM365()
  server.graph.intercept = () => fail(403, 'ErrorAccessDenied')
  const refuse = async () => (await callFamily(server, 'outlook_mail_search', SEARCH)).json<ConnectorCall>().error_code
  for (let n = 0; n < 3; n += 1) expect(await refuse()).toBe('graph_forbidden')
  expect((await readServer(server))?.health.health_status).toBe('healthy')
  server.graph.intercept = () => ({ status: 502, body: undefined })
  for (let n = 0; n < 3; n += 1) expect(await refuse()).toBe('graph_http_502')
  expect((await readServer(server))?.health).toMatchObject({ health_status: 'degraded' })
})

test('the policy decides about operations as about tools: reads at once, writes are asked, and both can be changed', async () => {
  const server = await connectM365()
  const { daemon, graph, server_id } = server
  const set = (target: object, mode: string) => daemon.post('/api/mcp/policy/update', { target, decision: { mode } })
  const tool = { target_kind: 'tool', server_id, tool_name: 'calendar_create_event' }
  const before = graph.state.events.length
  await askFamily(server, 'calendar_create_event', EVENT)
  expect(graph.state.events).toHaveLength(before)
  await set(tool, 'enabled')
  await readFamily(server, 'calendar_create_event', EVENT)
  expect(graph.state.events).toHaveLength(before + 1)
  await set({ target_kind: 'provider', provider: 'm365' }, 'disabled')
  expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('MCP_POLICY_DENIED')
  expect(await listPending(daemon)).toHaveLength(1)
})

test('operations are listed as tools with their schema and annotations, without asking the server', async () => {
  const server = await connectM365({ server: { supported_tools: ['outlook_mail_search', 'teams_post_message'] } })
  server.graph.requests.length = 0
  const reply = await server.daemon.get('/api/capabilities/connectors/tools')
  const { tools } = reply.json<{ tools: ConnectorTool[] }>()
  expect(tools).toMatchObject([
    {
      tool_name: 'outlook_mail_search',
      provider: 'm365',
      action_class: 'read',
      policy_mode: 'enabled',
      annotations: { readOnlyHint: true },
      input_schema: { type: 'object', required: ['query'], additionalProperties: false },
    },
    {
      tool_name: 'teams_post_message',
      action_class: 'write',
      policy_mode: 'ask_first',
      annotations: { readOnlyHint: false },
    },
  ])
  expect(server.graph.requests).toEqual([])
})

test('a smoke test asks who is signed in, calls an operation that reads, and refuses one that writes', async () => {
  const server = await connectM365()
  const { daemon, graph, server_id } = server
  const plain = await smokeTest(daemon, server_id, { tool_name: 'outlook_mail_search', payload_preview: SEARCH })
  expect(plain).toMatchObject({ status: 'passed', auth_ok: true, transport_ok: true, tool_discovery_ok: true })
  expect(plain.discovered_tools).toHaveLength(14)
  const before = graph.state.events.length
  const write = await smokeTest(daemon, server_id, { tool_name: 'calendar_create_event', payload_preview: EVENT })
  expect(write).toMatchObject({ status: 'blocked' })
  expect(graph.state.events).toHaveLength(before)
  expect((await readServer(server))?.badge_states).toEqual(['connected'])
})

test('a call that is cancelled ends, and one that takes too long fails', async () => {
  const server = await connectM365()
  const { daemon, graph } = server
  let answer = (): void => {}
  graph.ready = new Promise((resolve) => {
    answer = resolve
  })
  const slow = await callFamily(server, 'outlook_mail_search', SEARCH, { max_duration_ms: 1000 })
  expect(slow.json()).toMatchObject({ status: 'failed', error_code: 'timeout' })
  const id = await askFamily(server, 'calendar_create_event', EVENT)
  await decide(daemon, id)
  await expect.poll(async () => (await readCall(daemon, id)).status).toBe('running')
  await daemon.post(`/api/capabilities/connectors/calls/${id}/cancel`, {})
  expect(await waitForEnd(daemon, id)).toMatchObject({ status: 'cancelled' })
  answer()
})

test('a server that was registered before its way to sign in was refused is not called', async () => {
  const server = await connectM365()
  const { daemon, auth_profile_id, server_id } = server
  await daemon.system.store.write((tx) => {
    const profile = findProfile(tx, auth_profile_id)
    if (profile !== undefined) upsertProfile(tx, { ...profile, auth_mode: 'oauth2_on_behalf_of' })
    return null
  })
  const reply = await callFamily(server, 'outlook_mail_search', SEARCH)
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'M365_OBO_CHAIN_UNVERIFIED'])
  await patch(daemon, `/api/mcp/servers/${server_id}`, { m365: { verified_obo_chain: true } })
  await readFamily(server, 'outlook_mail_search', SEARCH)
})

test('R11.2-40: no token of Microsoft 365 is in a file of the home, in the database or in the log', async () => {
  const lines: string[] = []
  const sink = new Writable({ write: (piece, _encoding, done) => done(void lines.push(String(piece))) })
  const server = await connectM365({ log: pino({ level: 'trace' }, sink) })
  const { authority, daemon } = server
  daemon.clock.advance(2 * HOUR_MS)
  await readFamily(server, 'onedrive_fetch_file', { drive_item_ref: 'own-1', include_content: true })
  await approveFamily(server, await askFamily(server, 'calendar_create_event', EVENT))
  await daemon.waitForProjections()
  const { secrets } = authority
  expect(secrets.length).toBeGreaterThanOrEqual(3)
  const read = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name)
      return statSync(path).isDirectory() ? read(path) : [readFileSync(path, 'latin1')]
    })
  const kept = [...read(daemon.home), ...lines, JSON.stringify(daemon.events())]
  expect(kept.filter((text) => secrets.some((secret) => text.includes(secret)))).toEqual([])
})
