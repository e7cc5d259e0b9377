import { expect, test } from 'vitest'
import type { ConnectorCall, ConnectorTool } from '@apprentice/contracts/connectors/dispatch.ts'
import { startDaemon } from '../kit/daemon.ts'
import { CLIENT_SECRET, startAuthorizationServer } from './authorization-server.ts'
import { call, connectTools, listPending, readUseReceipts } from './call-kit.ts'
import { patch, readCode, readServers, register, smokeTest } from './connector-kit.ts'
import { registerProtected, signIn } from './sign-in-kit.ts'

test('a tool that reads is called at once, and leaves a receipt with identity and correlation id', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const reply = await call(daemon, server_id, 'read_note')
  expect(reply.statusCode, reply.body).toBe(200)
  const made = reply.json<ConnectorCall>()
  expect(made).toMatchObject({
    status: 'succeeded',
    result: { content: [{ type: 'text', text: 'a note' }], is_error: false },
  })
  expect(remote.calls).toEqual(['read_note'])
  expect((await readUseReceipts(daemon))[0]).toMatchObject({
    dispatch_id: made.dispatch_id,
    connector_server_id: server_id,
    correlation_id: made.correlation_id,
    approval_mode: 'autonomous',
    result: 'success',
    route_surface: 'mcp_connector',
    identity_asserted_kind: 'local_user',
    identity_asserted_ref: 'local',
  })
})

test('a repeated request makes one call and gets its result', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const send = async () => (await call(daemon, server_id, 'read_note', { client_request_id: 'once' })).json<object>()
  expect(await send()).toEqual(await send())
  expect(remote.calls).toEqual(['read_note'])
})

test('only supported tools of enabled servers are called, and the policy can switch them off', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const attempt = async (tool: string) => readCode(await call(daemon, server_id, tool))
  expect(await attempt('drop_notes')).toBe('MCP_POLICY_DENIED')
  const target = { target_kind: 'tool', server_id, tool_name: 'read_note' }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled' } })
  expect(await attempt('read_note')).toBe('MCP_POLICY_DENIED')
  await patch(daemon, `/api/mcp/servers/${server_id}`, { enabled: false })
  expect(await attempt('write_note')).toBe('MCP_SERVER_DISABLED')
  expect(readCode(await call(daemon, 'missing-server', 'read_note'))).toBe('MCP_SERVER_NOT_FOUND')
  expect(remote.calls).toEqual([])
})

test('an explicit decision for a tool that writes lets it be called without asking', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  const target = { target_kind: 'tool', server_id, tool_name: 'write_note' }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'enabled' } })
  expect((await call(daemon, server_id, 'write_note')).json()).toMatchObject({ status: 'succeeded' })
  expect(remote.calls).toEqual(['write_note'])
})

test('a server that asks for a pause is not called before the pause has passed, and is not degraded', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  remote.status = 429
  remote.headers = { 'retry-after': '30' }
  const first = await call(daemon, server_id, 'read_note')
  expect([first.statusCode, readCode(first)]).toEqual([429, 'MCP_THROTTLED'])
  const { requests } = remote
  const second = await call(daemon, server_id, 'read_note')
  expect(second.json()).toMatchObject({ error: { code: 'MCP_THROTTLED', details: { retry_after_ms: 30_000 } } })
  expect(remote.requests).toBe(requests)
  expect((await readServers(daemon))[0]?.health).toMatchObject({
    health_status: 'healthy',
    throttle_state: { state: 'rate_limited' },
  })
  remote.status = undefined
  daemon.clock.advance(31_000)
  expect((await call(daemon, server_id, 'read_note')).json()).toMatchObject({ status: 'succeeded' })
})

test('a call that fails is a reply with the reason, and three of them degrade the server', async () => {
  const daemon = await startDaemon()
  const { remote, server_id } = await connectTools(daemon)
  remote.status = 500
  for (let n = 0; n < 3; n += 1) {
    expect((await call(daemon, server_id, 'read_note')).json()).toMatchObject({
      status: 'failed',
      error_code: 'http_500',
    })
  }
  expect((await readServers(daemon))[0]?.health).toMatchObject({ health_status: 'degraded' })
  expect((await readUseReceipts(daemon))[0]).toMatchObject({ result: 'failure' })
})

test('the tools of connected servers are listed with a unique name, annotations and policy', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  const list = async () =>
    (await daemon.get('/api/capabilities/connectors/tools')).json<{ tools: ConnectorTool[] }>().tools
  expect(await list()).toMatchObject([
    { qualified_name: `${server_id}.read_note`, action_class: 'read', policy_mode: 'enabled' },
    {
      qualified_name: `${server_id}.write_note`,
      action_class: 'write',
      policy_mode: 'ask_first',
      annotations: { readOnlyHint: false },
    },
  ])
  const target = { target_kind: 'server', server_id }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'disabled' } })
  expect(await list()).toEqual([])
})

test('receipts name whom the server was told to act for', async () => {
  const daemon = await startDaemon()
  const authority = await startAuthorizationServer()
  const person = await registerProtected(daemon, { authority, profile: { scopes: ['openid', 'notes.read'] } })
  await signIn(daemon, person.server_id)
  await smokeTest(daemon, person.server_id)
  await call(daemon, person.server_id, 'read_note')
  expect((await readUseReceipts(daemon))[0]).toMatchObject({
    identity_asserted_kind: 'oauth_user',
    identity_asserted_ref: 'ada',
    auth_profile_id: person.auth_profile_id,
  })
  await daemon.request({ method: 'PUT', url: '/api/vault/secrets/service', payload: { value: CLIENT_SECRET } })
  const profile = {
    auth_mode: 'oauth2_client_credentials',
    client_id: 'service-client',
    secret_ref: 'secret:service',
    scopes: ['notes.read'],
    refresh_policy: 'auto_if_refresh_token',
  }
  const service = await registerProtected(daemon, { authority, profile })
  const target = { target_kind: 'tool', server_id: service.server_id, tool_name: 'read_note' }
  await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'enabled' } })
  // The service gets its token when the first call needs it.
  expect((await call(daemon, service.server_id, 'read_note')).json()).toMatchObject({ status: 'succeeded' })
  expect((await readUseReceipts(daemon))[0]).toMatchObject({
    identity_asserted_kind: 'service_principal',
    identity_asserted_ref: 'service-client',
  })
})

test('a server that is not active in this build is not callable', async () => {
  const daemon = await startDaemon()
  const { registry } = await register(daemon, {
    transport: 'provider_native',
    endpoint_url: undefined,
    supported_tools: ['read_note'],
  })
  expect(readCode(await call(daemon, registry.server_id, 'read_note'))).toBe('MCP_SERVER_NOT_ACTIVE_IN_BUILD')
})

test('results belong to the user who called', async () => {
  const daemon = await startDaemon()
  const { server_id } = await connectTools(daemon)
  const [ada, ben] = [await daemon.tokenFor('ada'), await daemon.tokenFor('ben')]
  const { dispatch_id } = (await call(daemon, server_id, 'read_note', { token: ada })).json<ConnectorCall>()
  const url = `/api/capabilities/connectors/calls/${dispatch_id}`
  expect((await daemon.get(url, ada)).json()).toMatchObject({ status: 'succeeded', result: { is_error: false } })
  expect((await daemon.get(url, ben)).statusCode).toBe(404)
  expect((await daemon.get(url)).json<ConnectorCall>().result).toBeUndefined()
  const countKept = () =>
    daemon.system.store.read(({ db }) =>
      ["vault_entries WHERE entry_ref LIKE 'result:%'", 'jobs WHERE result IS NOT NULL'].map((rows) =>
        db.prepare(`SELECT count(*) FROM ${rows}`).pluck().get(),
      ),
    )
  // The answer is in one place, also encrypted.
  expect(countKept()).toEqual([1, 0])
  daemon.clock.advance(25 * 3_600_000)
  await daemon.system.sweeper.sweepNow()
  expect((await daemon.get(url, ada)).json<ConnectorCall>().result).toBeUndefined()
  expect(countKept()[0]).toBe(0)
})

test('m365_auto_refresh_once: a refused token is refreshed once, and then a person has to sign in', async () => {
  const daemon = await startDaemon()
  const profile = { refresh_policy: 'auto_if_refresh_token' }
  const { authority, remote, server_id } = await registerProtected(daemon, { profile })
  await signIn(daemon, server_id)
  await smokeTest(daemon, server_id)
  daemon.clock.advance(2 * 3_600_000)
  expect((await call(daemon, server_id, 'read_note')).json()).toMatchObject({ status: 'succeeded' })
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token'])
  // The server accepts no token any more.
  remote.judge = () => Promise.resolve({ status: 401, headers: {} })
  const refused = await call(daemon, server_id, 'read_note')
  expect([refused.statusCode, readCode(refused)]).toEqual([401, 'MCP_AUTH_CHALLENGE_REQUIRED'])
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token'])
  expect((await readServers(daemon))[0]).toMatchObject({
    auth: { auth_state: 'challenge_required' },
    badge_states: ['auth_required'],
  })
  expect(remote.calls).toEqual(['read_note'])
})

test('an expired token that may not be refreshed by itself opens a challenge, which a person answers', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  await signIn(daemon, server_id)
  daemon.clock.advance(2 * 3_600_000)
  const refused = await call(daemon, server_id, 'read_note')
  const { code, details } = refused.json<{ error: { code: string; details: { challenge_id: string } } }>().error
  expect([code, authority.grants]).toEqual(['MCP_AUTH_CHALLENGE_REQUIRED', ['authorization_code']])
  const { challenge_id } = details
  const respond = (body: object) => daemon.post('/api/mcp/auth/challenge/respond', { challenge_id, ...body })
  expect(readCode(await respond({}))).toBe('INVALID_REQUEST')
  expect(readCode(await respond({ decision: 'approve', action: 'deny' }))).toBe('INVALID_REQUEST')
  expect((await respond({ action: 'approve' })).json()).toMatchObject({
    server_id,
    accepted: true,
    resolution: 'approved',
    next_step: 'await_user_signin',
    auth_status: { auth_state: 'expired' },
  })
  await signIn(daemon, server_id)
  expect((await respond({ decision: 'retry' })).json()).toMatchObject({ accepted: false, next_step: 'closed' })
  expect(await listPending(daemon)).toEqual([])
})

test('a server that asks for more scopes opens a challenge, and the next sign-in asks for them', async () => {
  const daemon = await startDaemon()
  const authority = await startAuthorizationServer()
  const { remote, server_id } = await registerProtected(daemon, { authority })
  await signIn(daemon, server_id)
  await smokeTest(daemon, server_id)
  authority.protect(remote, ['notes.write'])
  expect(readCode(await call(daemon, server_id, 'read_note'))).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  const start = await daemon.post(`/api/mcp/servers/${server_id}/auth/start`, { server_id })
  const { auth_url } = start.json<{ auth_url: string }>()
  expect(new URL(auth_url).searchParams.get('scope')?.split(' ')).toEqual(expect.arrayContaining(['notes.write']))
  await signIn(daemon, server_id)
  expect((await call(daemon, server_id, 'read_note')).json()).toMatchObject({ status: 'succeeded' })
})
