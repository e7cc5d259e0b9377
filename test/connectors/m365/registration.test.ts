import type { LightMyRequestResponse } from 'fastify'
import { expect, test } from 'vitest'
import type { ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import { startDaemon } from '../../kit/daemon.ts'
import { createProfile, patch, readCode, readServers } from '../connector-kit.ts'
import { ALL_FAMILIES, ALL_SCOPES, DELEGATED, registerM365 } from './m365-kit.ts'

const readErrors = (reply: LightMyRequestResponse): readonly string[] =>
  reply.json<{ error: { details: { errors: string[] } } }>().error.details.errors

test('R11.2-39: a Microsoft 365 connector with api_key is rejected at registration', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon, { ...DELEGATED, scopes: ALL_SCOPES, auth_mode: 'api_key' })
  const reply = await registerM365(daemon, { auth_profile_id })
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'M365_FORBIDDEN_AUTH_MODE'])
  expect(readErrors(reply)).toEqual(['M365_FORBIDDEN_AUTH_MODE'])
  expect(await readServers(daemon)).toEqual([])
})

test('additional test 37: a refusal has the first code and all errors', async () => {
  const daemon = await startDaemon()
  const profile = { ...DELEGATED, redirect_uri: undefined, scopes: ['User.Read', 'Files.Read.All'] }
  const auth_profile_id = await createProfile(daemon, profile)
  const reply = await registerM365(daemon, { auth_profile_id, supported_tools: ['search', 'outlook_get_thread'] })
  expect([reply.statusCode, readCode(reply)]).toEqual([400, 'M365_INTERACTIVE_REDIRECT_URI_REQUIRED'])
  expect(readErrors(reply)).toEqual([
    'M365_INTERACTIVE_REDIRECT_URI_REQUIRED',
    'M365_SCOPE_MISSING:Sites.Read.All',
    'M365_SCOPE_MISSING:Mail.Read',
  ])
})

test('a server without a profile, and one behind an unverified chain, are refused', async () => {
  const daemon = await startDaemon()
  expect(readErrors(await registerM365(daemon, { supported_tools: ['outlook_get_thread'] }))).toEqual([
    'M365_FORBIDDEN_AUTH_MODE',
    'M365_INTERACTIVE_REDIRECT_URI_REQUIRED',
    'M365_SCOPE_MISSING:Mail.Read',
  ])
  const profile = { ...DELEGATED, scopes: ALL_SCOPES, auth_mode: 'oauth2_on_behalf_of' }
  const auth_profile_id = await createProfile(daemon, profile)
  expect(readErrors(await registerM365(daemon, { auth_profile_id }))).toEqual(['M365_OBO_CHAIN_UNVERIFIED'])
  const m365 = { operation_families: ALL_FAMILIES, verified_obo_chain: true }
  expect((await registerM365(daemon, { auth_profile_id, m365 })).statusCode).toBe(201)
})

test('additional test 39: teams_post_message is refused in the background', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon, { ...DELEGATED, scopes: ALL_SCOPES })
  const changes = { auth_profile_id, interaction_mode: 'background_service' }
  const reply = await registerM365(daemon, changes)
  expect(readCode(reply)).toBe('M365_DELEGATED_ONLY_OPERATION')
  expect(readErrors(reply)).toEqual(['M365_DELEGATED_ONLY_OPERATION:teams_post_message'])
  const others = ALL_FAMILIES.filter((family) => family !== 'teams_post_message')
  expect((await registerM365(daemon, { ...changes, supported_tools: others })).statusCode).toBe(201)
})

test('the families are those of the options, else the names among the supported tools', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon, { ...DELEGATED, scopes: ['Mail.Read'] })
  const register = async (changes: object) =>
    (await registerM365(daemon, { auth_profile_id, ...changes })).json<{ server: ServerListItem }>().server
  const named = await register({ supported_tools: ['outlook_mail_search', 'read_note'] })
  expect(named.registry.supported_tools).toEqual(['outlook_mail_search'])
  const given = await register({
    m365: { operation_families: ['outlook_get_thread'], requested_scopes: ['Mail.ReadBasic'] },
  })
  expect(given.registry.supported_tools).toEqual(['outlook_get_thread'])
  expect(given.m365).toEqual({
    server_id: given.registry.server_id,
    provider: 'm365',
    display_name: 'Contoso',
    operation_families: ['outlook_get_thread'],
    interaction_mode: 'interactive_user',
    auth_profile_id,
    requested_scopes: ['Mail.ReadBasic'],
    tenant_id: 'contoso',
    client_id: 'known-client',
    redirect_uri: 'http://127.0.0.1/callback',
    incremental_consent_supported: true,
    verified_obo_chain: false,
    allow_background_service_ops: false,
  })
  const none = await registerM365(daemon, { auth_profile_id, supported_tools: ['read_note'] })
  expect(none.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field: 'supported_tools' } } })
})

test('a change is checked like a registration, and what it leaves out stays', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon, { ...DELEGATED, scopes: ['Mail.Read'] })
  const options = { operation_families: ['outlook_get_thread'], requested_scopes: ['Mail.ReadWrite'] }
  const reply = await registerM365(daemon, { auth_profile_id, m365: options })
  const { server_id } = reply.json<{ server: ServerListItem }>().server.registry
  const change = (body: object) => patch(daemon, `/api/mcp/servers/${server_id}`, body)
  expect(readErrors(await change({ supported_tools: ['search'] }))).toHaveLength(3)
  expect(readErrors(await change({ auth_profile_id: null }))).toContain('M365_FORBIDDEN_AUTH_MODE')
  const changed = await change({ m365: { operation_families: ['outlook_draft_reply', 'outlook_mail_search'] } })
  expect(changed.json()).toMatchObject({
    server: {
      registry: { supported_tools: ['outlook_draft_reply', 'outlook_mail_search'] },
      m365: { requested_scopes: ['Mail.ReadWrite'] },
    },
  })
  const renamed = await change({ display_name: 'Fabrikam' })
  expect(renamed.json()).toMatchObject({ server: { m365: { requested_scopes: ['Mail.ReadWrite'] } } })
})

test('other providers have no options of Microsoft 365, and Microsoft 365 is not behind a local bridge', async () => {
  const daemon = await startDaemon()
  const other = { provider: 'custom_remote', transport: 'remote_http', endpoint_url: 'https://notes.example/mcp' }
  const reply = await registerM365(daemon, { ...other, m365: { operation_families: ['search'] } })
  expect(reply.json()).toMatchObject({ error: { code: 'INVALID_REQUEST', details: { field: 'm365' } } })
  const bridge = { transport: 'local_bridge', endpoint_url: 'http://127.0.0.1:9/v1.0' }
  expect((await registerM365(daemon, bridge)).json()).toMatchObject({
    error: { code: 'INVALID_REQUEST', details: { field: 'transport' } },
  })
})

test('a profile that a challenge selects is checked too', async () => {
  const daemon = await startDaemon()
  const auth_profile_id = await createProfile(daemon, { ...DELEGATED, scopes: ['Mail.Read'] })
  const registered = await registerM365(daemon, { auth_profile_id, supported_tools: ['outlook_get_thread'] })
  const { server_id } = registered.json<{ server: ServerListItem }>().server.registry
  const body = { server_id, tool_name: 'outlook_get_thread', arguments: { target: { thread_id: 'x' } } }
  const refused = await daemon.post('/api/capabilities/connectors/call', body)
  const { challenge_id } = refused.json<{ error: { details: { challenge_id: string } } }>().error.details
  const key = await createProfile(daemon, { ...DELEGATED, scopes: ['Mail.Read'], auth_mode: 'api_key' })
  const answer = { challenge_id, decision: 'approve', selected_auth_profile_id: key }
  const reply = await daemon.post('/api/mcp/auth/challenge/respond', answer)
  expect(readCode(reply)).toBe('M365_FORBIDDEN_AUTH_MODE')
  expect((await readServers(daemon))[0]?.registry.auth_profile_id).toBe(auth_profile_id)
})
