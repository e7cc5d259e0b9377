import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { createProfile, patch, readCode, readServers, register, smokeTest } from './connector-kit.ts'
import { registerProtected, signIn } from './sign-in-kit.ts'
import { startToolServer } from './tool-server.ts'

test('a server that answers is connected: tools are listed, the protocol is recorded, a tool that reads is called', async () => {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url, supported_tools: ['read_note'] })
  const { server_id } = registry
  expect(await smokeTest(daemon, server_id, { tool_name: 'read_note' })).toMatchObject({
    status: 'passed',
    overall_status: 'healthy',
    transport_ok: true,
    tool_discovery_ok: true,
    discovered_tools: ['read_note', 'write_note'],
  })
  expect(remote.calls).toEqual(['read_note'])
  expect((await readServers(daemon))[0]).toMatchObject({
    badge_states: ['connected'],
    registry: { protocol_revision: expect.stringMatching(/^20\d\d-/), tool_schema_hash: expect.any(String) },
    health: { health_status: 'healthy', tool_health: { read_note: { ok: true } } },
  })
})

test('a repeated request gets the first result, and the server is asked once', async () => {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url })
  const first = await smokeTest(daemon, registry.server_id, { client_request_id: 'once' })
  const { requests } = remote
  expect(await smokeTest(daemon, registry.server_id, { client_request_id: 'once' })).toEqual(first)
  expect(remote.requests).toBe(requests)
})

test('a tool that may write, or is not supported, is never called', async () => {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url, supported_tools: ['write_note'] })
  for (const tool_name of ['write_note', 'read_note', 'missing']) {
    expect(await smokeTest(daemon, registry.server_id, { tool_name })).toMatchObject({ status: 'blocked' })
  }
  expect(remote.calls).toEqual([])
})

test('a server whose tools changed is degraded until an administrator changes the list of tools', async () => {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url })
  const { server_id } = registry
  expect((await smokeTest(daemon, server_id)).status).toBe('passed')
  remote.tools = ['read_note', 'write_note', 'drop_notes']
  expect(await smokeTest(daemon, server_id)).toMatchObject({
    status: 'degraded',
    failure_reason_code: 'tool_schema_changed',
  })
  expect((await readServers(daemon))[0]?.badge_states).toEqual(['degraded'])
  await patch(daemon, `/api/mcp/servers/${server_id}`, { supported_tools: ['read_note'] })
  expect((await smokeTest(daemon, server_id)).status).toBe('passed')
})

test('three failures degrade a server, throttling does not, and two successes restore it', async () => {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url })
  const readHealth = async () => (await readServers(daemon))[0]?.health
  remote.status = 429
  for (let n = 0; n < 4; n += 1) await smokeTest(daemon, registry.server_id)
  expect(await readHealth()).toMatchObject({
    health_status: 'unknown',
    throttle_state: { state: 'rate_limited', last_http_status: 429 },
    backoff_until: expect.any(String),
  })
  remote.status = 500
  for (let n = 0; n < 3; n += 1) expect((await smokeTest(daemon, registry.server_id)).status).toBe('failed')
  expect(await readHealth()).toMatchObject({ health_status: 'degraded', health_reason_code: 'http_500' })
  remote.status = undefined
  expect((await smokeTest(daemon, registry.server_id)).status).toBe('degraded')
  expect((await smokeTest(daemon, registry.server_id)).status).toBe('passed')
  const changes = daemon.events().filter(({ kind }) => kind === 'mcp.health.changed')
  // The begin and the end of the pause, and then the two changes of the health.
  expect(changes.map(({ payload }) => payload['health_status'])).toEqual(['unknown', 'unknown', 'degraded', 'healthy'])
})

test('a redirect to another host is not followed', async () => {
  const daemon = await startDaemon()
  const [remote, other] = [await startToolServer(), await startToolServer()]
  remote.status = 307
  remote.headers = { location: other.url }
  const { registry } = await register(daemon, { endpoint_url: remote.url })
  expect(await smokeTest(daemon, registry.server_id)).toMatchObject({
    status: 'failed',
    error_code: 'address_not_allowed',
  })
  expect(other.requests).toBe(0)
})

test('a name that leads to this machine is not connected to', async () => {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { port } = new URL(remote.url)
  // Resolvers answer every name below localhost with a loopback address.
  const { registry } = await register(daemon, { endpoint_url: `https://notes.localhost:${port}/mcp` })
  const result = await smokeTest(daemon, registry.server_id)
  expect(result.status).toBe('failed')
  expect(remote.requests).toBe(0)
})

test('a local bridge is a program of the settings and gets none of the environment of the daemon', async () => {
  const bridges = {
    Files: { command: process.execPath, args: [join(import.meta.dirname, 'bridge-program.mjs')], env: { GIVEN: '1' } },
  }
  const daemon = await startDaemon({ settings: { connectors: { allowed_hosts: [], bridges } } })
  process.env['CONNECTOR_SECRET'] = 'secret'
  const local = { transport: 'local_bridge', display_name: 'Files', endpoint_url: undefined }
  const { registry } = await register(daemon, local)
  const result = await smokeTest(daemon, registry.server_id)
  delete process.env['CONNECTOR_SECRET']
  expect(result.status).toBe('passed')
  expect(result.discovered_tools).toContain('GIVEN')
  expect(result.discovered_tools).not.toContain('CONNECTOR_SECRET')
})

test('a local bridge that gets the name of another program keeps nothing that the first one said', async () => {
  const program = join(import.meta.dirname, 'bridge-program.mjs')
  const start = (name: string) => ({ command: process.execPath, args: [program], env: { [name]: '1' } })
  const bridges = { Files: start('read_files'), Mails: start('send_mails') }
  const daemon = await startDaemon({ settings: { connectors: { bridges } } })
  const local = { transport: 'local_bridge', display_name: 'Files', endpoint_url: undefined }
  const { server_id } = (await register(daemon, local)).registry
  expect((await smokeTest(daemon, server_id)).discovered_tools).toContain('read_files')
  const url = `/api/mcp/servers/${server_id}`
  expect((await patch(daemon, url, { display_name: 'Unknown' })).statusCode).toBe(400)
  expect((await patch(daemon, url, { display_name: 'Mails' })).statusCode).toBe(200)
  const [server] = await readServers(daemon)
  expect(server?.health.health_status).toBe('unknown')
  expect(server?.registry.tool_schema_hash).toBeUndefined()
  expect(await smokeTest(daemon, server_id)).toMatchObject({ status: 'passed' })
})

test('a server that must not be used is not contacted', async () => {
  const daemon = await startDaemon()
  const remote = await startToolServer()
  const { registry } = await register(daemon, { endpoint_url: remote.url })
  const { server_id } = registry
  const url = `/api/mcp/servers/${server_id}`
  const attempt = async (): Promise<string> => readCode(await daemon.post(`${url}/smoke-test`, { server_id }))
  await patch(daemon, url, { enabled: false })
  expect(await attempt()).toBe('MCP_SERVER_DISABLED')
  await patch(daemon, url, { enabled: true, auth_profile_id: await createProfile(daemon) })
  expect(await attempt()).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  await patch(daemon, url, { auth_profile_id: null })
  await daemon.post('/api/mcp/policy/update', { target: { target_kind: 'global' }, decision: { mode: 'disabled' } })
  expect(await attempt()).toBe('MCP_POLICY_DENIED')
  expect(readCode(await daemon.post(`${url}/smoke-test`, { server_id: 'other-server' }))).toBe('INVALID_REQUEST')
  expect(remote.requests).toBe(0)
})

test('an expired token is refreshed once before a test if the profile allows it, and else a person has to sign in', async () => {
  const daemon = await startDaemon()
  const { authority, auth_profile_id, remote, server_id } = await registerProtected(daemon)
  await signIn(daemon, server_id)
  daemon.clock.advance(2 * 3_600_000)
  const { requests } = remote
  const test = () => daemon.post(`/api/mcp/servers/${server_id}/smoke-test`, { server_id })
  const refused = await test()
  expect([readCode(refused), refused.json()]).toMatchObject([
    'MCP_AUTH_CHALLENGE_REQUIRED',
    { error: { details: { auth_state: 'expired' } } },
  ])
  expect([authority.grants, remote.requests]).toEqual([['authorization_code'], requests])
  await patch(daemon, `/api/mcp/auth-profiles/${auth_profile_id}`, { refresh_policy: 'auto_if_refresh_token' })
  expect((await test()).json()).toMatchObject({ status: 'passed', auth_ok: true })
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token'])
  daemon.clock.advance(2 * 3_600_000)
  await authority.forget()
  expect(readCode(await test())).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  expect(authority.grants).toHaveLength(3)
})
