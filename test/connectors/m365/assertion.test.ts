import { expect, test } from 'vitest'
import { deleteM365 } from '../../../src/store/connectors/m365.ts'
import { startSignIn, visitPage } from '../sign-in-kit.ts'
import { readCode, readServers } from '../connector-kit.ts'
import { addServer, callFamily, connectM365, type M365Server, readFamily, startM365 } from './m365-kit.ts'

const SEARCH = { query: 'roof' }
const CHAIN = {
  auth_mode: 'oauth2_on_behalf_of',
  client_id: 'chain-client',
  scopes: ['Mail.Read'],
  token_subject_kind: 'delegated',
}
const TOOLS = { operation_families: ['outlook_mail_search'], verified_obo_chain: true }

const store = ({ daemon, auth_profile_id }: M365Server, value: string) =>
  daemon.request({ method: 'PUT', url: `/api/vault/secrets/assertion.${auth_profile_id}`, payload: { value } })

/** A server that acts for whoever gave a token to another service, and that token. */
async function connectChain() {
  const person = await connectM365()
  const [token = ''] = person.authority.secrets
  const server = await addServer(person, { profile: CHAIN, server: { m365: TOOLS } })
  person.authority.grants.length = 0
  return { server, token }
}

test('a stored token of a person is exchanged when a call needs it, and the call acts for that person', async () => {
  const { server, token } = await connectChain()
  const { authority, daemon } = server
  expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('M365_AUTH_EXPIRED')
  expect(authority.grants).toEqual([])
  await store(server, token)
  expect(await readFamily(server, 'outlook_mail_search', SEARCH)).toMatchObject({
    status: 'ok',
    granted_scopes: ['Mail.Read'],
    identity_asserted_kind: 'oauth_user',
  })
  expect(authority.grants).toEqual(['urn:ietf:params:oauth:grant-type:jwt-bearer'])
  await readFamily(server, 'outlook_mail_search', SEARCH)
  expect(authority.grants).toHaveLength(1)
  daemon.clock.advance(2 * 3_600_000)
  await readFamily(server, 'outlook_mail_search', SEARCH)
  expect(authority.grants).toHaveLength(2)
})

test('a token that is refused is not tried again before it is replaced', async () => {
  const { server, token } = await connectChain()
  await store(server, 'not-a-token')
  server.daemon.clock.advance(1000)
  for (let n = 0; n < 2; n += 1) {
    expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('M365_AUTH_EXPIRED')
  }
  expect(server.authority.grants).toHaveLength(1)
  server.daemon.clock.advance(1000)
  await store(server, token)
  await readFamily(server, 'outlook_mail_search', SEARCH)
  expect(server.authority.grants).toHaveLength(2)
})

test('without a verified chain no token is exchanged', async () => {
  const { server, token } = await connectChain()
  await store(server, token)
  await server.daemon.system.store.write((tx) => {
    deleteM365(tx, server.server_id)
    return null
  })
  expect(readCode(await callFamily(server, 'outlook_mail_search', SEARCH))).toBe('M365_OBO_CHAIN_UNVERIFIED')
  const url = `/api/mcp/servers/${server.server_id}/auth/refresh`
  const refreshed = await server.daemon.post(url, { server_id: server.server_id, force: true })
  expect(refreshed.json()).toMatchObject({
    error: { code: 'MCP_OAUTH_TOKEN_EXCHANGE_FAILED', details: { reason_code: 'obo_chain_unverified' } },
  })
  expect(server.authority.grants).toEqual([])
})

test('a service in the background uses the permissions that an administrator gave to it', async () => {
  const kit = await startM365()
  const server = await addServer(kit, {
    profile: {
      auth_mode: 'oauth2_client_credentials',
      client_id: 'service-client',
      redirect_uri: undefined,
      scopes: ['Sites.Read.All', 'Files.Read.All'],
    },
    server: {
      interaction_mode: 'background_service',
      m365: { operation_families: ['sharepoint_list_documents'], allow_background_service_ops: true },
    },
  })
  const { daemon, server_id } = server
  expect(
    await readFamily(server, 'sharepoint_list_documents', { site_ref: 'contoso.sharepoint.com:/sites/roof' }),
  ).toMatchObject({
    status: 'ok',
    identity_asserted_kind: 'service_principal',
    identity_asserted_ref: 'service-client',
  })
  expect(kit.authority.grants).toEqual(['client_credentials'])
  expect((await readServers(daemon)).find(({ registry }) => registry.server_id === server_id)?.badge_states).toEqual([
    'connected',
    'background_only',
  ])
})

test('the page of a sign-in is at the tenant, and asks for the scopes of the server and of its profile', async () => {
  const kit = await startM365()
  const server = await addServer(kit, {
    profile: { scopes: ['openid', 'Mail.Read'] },
    server: { m365: { operation_families: ['outlook_mail_search'], requested_scopes: ['Calendars.Read'] } },
  })
  const start = await startSignIn(kit.daemon, server.server_id)
  const url = new URL(start.auth_url)
  expect(`${url.origin}${url.pathname}`).toBe(`${kit.authority.origin}/contoso/oauth2/v2.0/authorize`)
  expect(url.searchParams.get('scope')?.split(' ')).toEqual(['openid', 'Mail.Read', 'Calendars.Read'])
  expect(await visitPage(start)).toContain('code=')
})
