import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { vi } from 'vitest'
import { askToWrite, call, connectTools, decide } from '../connectors/call-kit.ts'
import { createProfile, patch, register, REMOTE } from '../connectors/connector-kit.ts'
import { registerProtected, startSignIn, visitPage } from '../connectors/sign-in-kit.ts'
import { startToolServer } from '../connectors/tool-server.ts'
import { ALL_FAMILIES, ALL_SCOPES, DELEGATED, registerM365 } from '../connectors/m365/m365-kit.ts'
import type { Daemon } from '../kit/daemon.ts'
import { type Scenario, withDaemon } from './scenarios.ts'

const ID = 'missing-server'
const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const runTest = (daemon: Daemon, server_id: string) =>
  daemon.post(`/api/mcp/servers/${server_id}/smoke-test`, { server_id })

/** Registers a server of Microsoft 365 with a profile that is changed so that it may be refused. */
async function refuseM365(daemon: Daemon, profile: object, server: object = {}) {
  const auth_profile_id = await createProfile(daemon, { ...DELEGATED, scopes: ALL_SCOPES, ...profile })
  return registerM365(daemon, { auth_profile_id, supported_tools: ALL_FAMILIES, ...server })
}

export const connectorScenarios = {
  PROJECT_BINDING_NOT_FOUND: withDaemon((daemon) => daemon.get('/api/projects/bindings/unknown')),
  MCP_SERVER_NOT_FOUND: withDaemon((daemon) => daemon.get(`/api/mcp/servers/${ID}/health`)),
  MCP_ENDPOINT_NOT_ALLOWED: withDaemon((daemon) =>
    daemon.post('/api/mcp/servers/register', { ...REMOTE, endpoint_url: 'https://192.168.1.1/mcp' }),
  ),
  MCP_SERVER_DISABLED: withDaemon(async (daemon) => {
    const { registry } = await register(daemon, { enabled: false })
    return runTest(daemon, registry.server_id)
  }),
  MCP_SERVER_NOT_ACTIVE_IN_BUILD: withDaemon(async (daemon) => {
    const { registry } = await register(daemon, { transport: 'provider_native', endpoint_url: undefined })
    return runTest(daemon, registry.server_id)
  }),
  MCP_SERVER_DELETE_BLOCKED: withDaemon(async (daemon) => {
    const remote = await startToolServer()
    let answer = (): void => {}
    remote.ready = new Promise((resolve) => {
      answer = resolve
    })
    const { registry } = await register(daemon, { endpoint_url: remote.url })
    const testing = runTest(daemon, registry.server_id)
    await vi.waitUntil(() => remote.requests > 0, { timeout: 60_000 })
    const reply = await daemon.delete(`/api/mcp/servers/${registry.server_id}`)
    answer()
    await testing
    return reply
  }),
  MCP_POLICY_DENIED: withDaemon(async (daemon) => {
    const { registry } = await register(daemon)
    await daemon.post('/api/mcp/policy/update', { target: { target_kind: 'global' }, decision: { mode: 'disabled' } })
    return runTest(daemon, registry.server_id)
  }),
  MCP_AUTH_CHALLENGE_REQUIRED: withDaemon(async (daemon) => {
    const { registry } = await register(daemon, { auth_profile_id: await createProfile(daemon) })
    return runTest(daemon, registry.server_id)
  }),
  MCP_AUTH_PROFILE_NOT_FOUND: withDaemon((daemon) =>
    patch(daemon, '/api/mcp/auth-profiles/missing-profile', { shared_profile: true }),
  ),
  MCP_AUTH_PROFILE_IN_USE: withDaemon(async (daemon) => {
    const auth_profile_id = await createProfile(daemon)
    await register(daemon, { auth_profile_id })
    return daemon.delete(`/api/mcp/auth-profiles/${auth_profile_id}`)
  }),
  MCP_AUTH_PROFILE_REQUIRED: withDaemon(async (daemon) => {
    const { server_id } = (await register(daemon)).registry
    return daemon.post(`/api/mcp/servers/${server_id}/auth/start`, { server_id })
  }),
  MCP_OAUTH_STATE_INVALID: withDaemon(async (daemon) => {
    const { registry } = await register(daemon)
    return daemon.get(`/api/mcp/servers/${registry.server_id}/auth/callback?state=unknown&code=any`)
  }),
  MCP_OAUTH_CALLBACK_EXPIRED: withDaemon(async (daemon) => {
    const { server_id } = await registerProtected(daemon)
    const callback = await visitPage(await startSignIn(daemon, server_id))
    return daemon.get(callback.replace(/code=[^&]*/, 'code=old'))
  }),
  MCP_OAUTH_REFRESH_NOT_ALLOWED: withDaemon(async (daemon) => {
    const { server_id } = (await register(daemon, { auth_profile_id: await createProfile(daemon) })).registry
    return daemon.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id })
  }),
  MCP_OAUTH_TOKEN_EXCHANGE_FAILED: withDaemon(async (daemon) => {
    const remote = await startToolServer()
    remote.status = 500
    const auth_profile_id = await createProfile(daemon)
    const { server_id } = (await register(daemon, { endpoint_url: remote.url, auth_profile_id })).registry
    return daemon.post(`/api/mcp/servers/${server_id}/auth/start`, { server_id })
  }),
  MCP_CHALLENGE_NOT_FOUND: withDaemon((daemon) =>
    daemon.post('/api/mcp/auth/challenge/respond', { challenge_id: UNKNOWN, decision: 'deny' }),
  ),
  MCP_ASK_FIRST_REQUIRED: withDaemon(async (daemon) => {
    const { server_id } = await connectTools(daemon)
    return call(daemon, server_id, 'write_note')
  }),
  MCP_ASK_FIRST_NOT_FOUND: withDaemon((daemon) => decide(daemon, UNKNOWN)),
  MCP_ASK_FIRST_EXPIRED: withDaemon(async (daemon) => {
    const { server_id } = await connectTools(daemon)
    const id = await askToWrite(daemon, server_id)
    daemon.clock.advance(15 * 60_000)
    return decide(daemon, id)
  }),
  MCP_ASK_FIRST_ALREADY_DECIDED: withDaemon(async (daemon) => {
    const { server_id } = await connectTools(daemon)
    const id = await askToWrite(daemon, server_id)
    await decide(daemon, id, 'deny')
    return decide(daemon, id)
  }),
  MCP_THROTTLED: withDaemon(async (daemon) => {
    const { remote, server_id } = await connectTools(daemon)
    remote.status = 429
    return call(daemon, server_id, 'read_note')
  }),
  M365_FORBIDDEN_AUTH_MODE: withDaemon((daemon) => refuseM365(daemon, { auth_mode: 'api_key' })),
  M365_SCOPE_MISSING: withDaemon((daemon) => refuseM365(daemon, { scopes: ['User.Read'] })),
  M365_OBO_CHAIN_UNVERIFIED: withDaemon((daemon) => refuseM365(daemon, { auth_mode: 'oauth2_on_behalf_of' })),
  M365_INTERACTIVE_REDIRECT_URI_REQUIRED: withDaemon((daemon) => refuseM365(daemon, { redirect_uri: undefined })),
  M365_DELEGATED_ONLY_OPERATION: withDaemon((daemon) =>
    refuseM365(daemon, {}, { interaction_mode: 'background_service' }),
  ),
  M365_AUTH_EXPIRED: withDaemon(async (daemon) => {
    const reply = await refuseM365(daemon, {})
    const { server_id } = reply.json<{ server: { registry: { server_id: string } } }>().server.registry
    return call(daemon, server_id, 'search', { arguments: { query: 'roof' } })
  }),
  CONNECTOR_CONTENT_NOT_FOUND: withDaemon((daemon) =>
    daemon.get(`/api/capabilities/connectors/contents/content:${UNKNOWN}`),
  ),
  VAULT_SECRET_NOT_FOUND: withDaemon((daemon) => daemon.delete('/api/vault/secrets/missing')),
  MCP_AUTH_PROFILE_MISMATCH: withDaemon(async (daemon) => {
    const auth_profile_id = await createProfile(daemon, { provider: 'm365' })
    return daemon.post('/api/mcp/servers/register', { ...REMOTE, auth_profile_id })
  }),
} as const satisfies Partial<Record<FailureCode, Scenario>>
