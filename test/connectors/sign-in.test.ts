import { generateKeyPairSync } from 'node:crypto'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { expect, test } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { CLIENT_SECRET, startAuthorizationServer } from './authorization-server.ts'
import { createProfile, readCode, readServers, register, smokeTest } from './connector-kit.ts'
import { findFilesWith } from './home-search.ts'
import { REDIRECT_URI, registerProtected, sendCallback, signIn, startSignIn, visitPage } from './sign-in-kit.ts'

const status = async (daemon: Awaited<ReturnType<typeof startDaemon>>, id: string) =>
  (await daemon.get(`/api/mcp/servers/${id}/auth/status`)).json<ServerAuthStatus>()

test('a person signs in to a server with PKCE and a client that is registered then; the server accepts the token', async () => {
  const daemon = await startDaemon()
  const { remote, server_id, auth_profile_id } = await registerProtected(daemon)
  const started = await startSignIn(daemon, server_id)
  const asked = new URL(started.auth_url).searchParams
  expect(Object.fromEntries(asked)).toMatchObject({ code_challenge_method: 'S256', resource: remote.url })
  expect(started).toMatchObject({ auth_profile_id, authorization_url: started.auth_url })
  const reply = await sendCallback(daemon, await visitPage(started))
  expect(reply.json()).toMatchObject({
    auth_state: 'healthy',
    scopes_granted: expect.arrayContaining(['notes.read', 'offline_access']),
    scopes_missing: [],
    expires_at: '2026-03-01T13:00:00.000Z',
    refresh_at: '2026-03-01T12:55:00.000Z',
  })
  expect(await smokeTest(daemon, server_id, { tool_name: 'read_note' })).toMatchObject({ status: 'passed' })
  expect(remote.authorization).toMatch(/^Bearer ./)
  const [server] = await readServers(daemon)
  expect(server?.badge_states).toEqual(['connected'])
  expect(server?.available_actions).toEqual(expect.arrayContaining(['refresh_auth', 'revoke_auth']))
  const { receipts } = (await daemon.get('/api/mcp/receipts')).json<{ receipts: { receipt_kind: string }[] }>()
  expect(receipts.map(({ receipt_kind }) => receipt_kind)).toEqual(
    expect.arrayContaining(['auth_start', 'auth_callback', 'smoke_test']),
  )
})

test('a client that was registered once is used again, and a pre-registered one is used with its secret', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  const read = async () => new URL((await startSignIn(daemon, server_id)).auth_url).searchParams.get('client_id')
  expect(await read()).toBe(await read())

  const url = '/api/vault/secrets/known-client'
  await daemon.request({ method: 'PUT', url, payload: { value: CLIENT_SECRET } })
  const profile = { client_id: 'known-client', secret_ref: 'secret:known-client', redirect_uri: REDIRECT_URI }
  const known = await registerProtected(daemon, { authority, profile })
  expect((await signIn(daemon, known.server_id)).auth_state).toBe('healthy')
})

test('a document about the client is its id where the authorization server accepts one', async () => {
  const client_metadata_url = 'https://apprentice.example/client.json'
  const daemon = await startDaemon({
    settings: { connectors: { allowed_hosts: [], bridges: {}, client_metadata_url } },
  })
  const { remote, server_id } = await registerProtected(daemon)
  const issuer = new URL(remote.url).origin
  remote.documents = {
    '/.well-known/oauth-authorization-server': {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
    },
  }
  const { auth_url } = await startSignIn(daemon, server_id)
  expect(new URL(auth_url).searchParams.get('client_id')).toBe(client_metadata_url)
})

test('a repeated request gets the sign-in that it began, while it is open, and keeps nothing of it outside the vault', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  const begin = (body: object = {}) => startSignIn(daemon, server_id, { client_request_id: 'once', ...body })
  const [first, again] = await Promise.all([begin(), begin()])
  expect(again).toEqual(first)
  expect(await begin()).toEqual(first)
  const url = `/api/mcp/servers/${server_id}/auth/start`
  const other = { server_id, client_request_id: 'once', requested_scopes_override: ['notes.write'] }
  expect(readCode(await daemon.post(url, other))).toBe('IDEMPOTENCY_CONFLICT')
  expect((await startSignIn(daemon, server_id)).auth_url).not.toBe(first.auth_url)
  expect((await begin({ client_request_id: 'another' })).auth_url).not.toBe(first.auth_url)
  const { receipts } = (await daemon.get('/api/mcp/receipts?receipt_kind=auth_start')).json<{ receipts: object[] }>()
  expect(receipts).toHaveLength(3)
  const state = new URL(first.auth_url).searchParams.get('state') ?? ''
  expect(findFilesWith(daemon.home, [state])).toEqual([])
  expect((await sendCallback(daemon, await visitPage(first))).statusCode).toBe(200)
  expect(authority.grants).toEqual(['authorization_code'])
  expect((await begin()).auth_url).not.toBe(first.auth_url)
})

test('a state is good once, for its server, for ten minutes', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  const other = await registerProtected(daemon, { authority })
  const refuse = async (url: string) => {
    const reply = await sendCallback(daemon, url)
    expect(reply.statusCode).toBe(400)
    const { code, details } = reply.json<{ error: { code: string; details: { reason: string } } }>().error
    return [code, details.reason]
  }
  const callback = await visitPage(await startSignIn(daemon, server_id))
  expect(await refuse(callback.replace(server_id, other.server_id))).toEqual(['MCP_OAUTH_STATE_INVALID', 'unknown'])
  expect(await refuse(callback.replace(/state=[^&]*/, 'state=guessed'))).toEqual(['MCP_OAUTH_STATE_INVALID', 'unknown'])
  expect((await sendCallback(daemon, callback)).statusCode).toBe(200)
  expect(await refuse(callback)).toEqual(['MCP_OAUTH_STATE_INVALID', 'reused'])

  const late = await visitPage(await startSignIn(daemon, server_id))
  daemon.clock.advance(10 * 60_000)
  expect(await refuse(late)).toEqual(['MCP_OAUTH_STATE_INVALID', 'expired'])
  expect(authority.grants).toEqual(['authorization_code'])
})

test('a sign-in that a token began ends when the token is revoked', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  const issue = async () =>
    (await daemon.post('/api/tokens', { user_id: 'ada', label: 'x', privilege: 'admin' })).json<{
      secret: string
      token: { token_id: string }
    }>()
  const [ended, other] = [await issue(), await issue()]
  const begin = (token: string) => startSignIn(daemon, server_id, { client_request_id: 'once', token })
  const begun = await begin(ended.secret)
  const callback = await visitPage(begun)
  const lasting = await visitPage(await startSignIn(daemon, server_id, { token: other.secret }))
  expect((await daemon.delete(`/api/tokens/${ended.token.token_id}`)).statusCode).toBe(200)
  const refused = await sendCallback(daemon, callback)
  expect([refused.statusCode, readCode(refused)]).toEqual([400, 'MCP_OAUTH_STATE_INVALID'])
  expect([authority.grants, (await status(daemon, server_id)).auth_state]).toEqual([[], 'challenge_required'])
  // Neither is it given to another request of the user.
  expect((await begin(other.secret)).auth_url).not.toBe(begun.auth_url)
  expect((await sendCallback(daemon, lasting)).statusCode).toBe(200)
})

test('a callback with parameters that nobody asked for works', async () => {
  const daemon = await startDaemon()
  const { server_id } = await registerProtected(daemon)
  const callback = await visitPage(await startSignIn(daemon, server_id))
  const reply = await sendCallback(daemon, `${callback}&session_state=x&vendor_extra=1`, true)
  expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(reply.body).toContain('Signed in')
})

test('a browser in which another user is logged in cannot finish the sign-in', async () => {
  const daemon = await startDaemon()
  const { server_id } = await registerProtected(daemon)
  const url = await visitPage(await startSignIn(daemon, server_id))
  const ben = await daemon.tokenFor('ben')
  const { code } = (await daemon.post('/api/login-codes', {}, ben)).json<{ code: string }>()
  const login = await daemon.request({ method: 'GET', url: `/login?code=${code}`, token: null })
  const cookie = String(login.headers['set-cookie']).split(';')[0] ?? ''
  const refused = await daemon.request({ method: 'GET', url, token: null, headers: { cookie } })
  expect([refused.statusCode, readCode(refused)]).toEqual([403, 'FORBIDDEN'])
  expect((await sendCallback(daemon, url)).statusCode).toBe(200)
})

test('a refusal of the person is recorded, and a browser gets a page', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  authority.refuses = true
  const reply = await sendCallback(daemon, await visitPage(await startSignIn(daemon, server_id)), true)
  expect(reply.body).toContain('Not signed in')
  expect(reply.body).not.toContain('said no')
  expect(await status(daemon, server_id)).toMatchObject({
    auth_state: 'challenge_required',
    last_auth_error_code: 'access_denied',
  })
  expect((await readServers(daemon))[0]?.badge_states).toContain('auth_required')
})

test('scopes that were not granted are named, and the server still needs a sign-in', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon, {
    profile: { scopes: ['notes.read', 'notes.write'] },
  })
  authority.allowed = ['openid', 'offline_access', 'notes.read']
  expect(await signIn(daemon, server_id)).toMatchObject({
    auth_state: 'challenge_required',
    scopes_granted: ['notes.read'],
    scopes_missing: ['notes.write'],
  })
})

test('a code that the authorization server does not accept ends the sign-in', async () => {
  const daemon = await startDaemon()
  const { server_id } = await registerProtected(daemon)
  const callback = await visitPage(await startSignIn(daemon, server_id))
  const reply = await sendCallback(daemon, callback.replace(/code=[^&]*/, 'code=guessed'))
  expect([reply.statusCode, readCode(reply)]).toEqual([410, 'MCP_OAUTH_CALLBACK_EXPIRED'])
  expect(await status(daemon, server_id)).toMatchObject({ last_auth_error_code: 'invalid_grant' })
})

test('a server elsewhere cannot name an authorization server on this machine, and one without PKCE is not used', async () => {
  const daemon = await startDaemon()
  const { authority, remote, server_id } = await registerProtected(daemon)
  const start = async () => {
    const reply = await daemon.post(`/api/mcp/servers/${server_id}/auth/start`, { server_id })
    return [reply.statusCode, reply.json<{ error: { details: { reason_code: string } } }>().error.details.reason_code]
  }
  remote.documents = {
    '/.well-known/oauth-protected-resource/mcp': {
      resource: remote.url,
      authorization_servers: ['https://10.0.0.7/'],
    },
  }
  expect(await start()).toEqual([502, 'address_not_allowed'])
  const issuer = new URL(remote.url).origin
  remote.documents = {
    '/.well-known/oauth-authorization-server': {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
    },
  }
  expect(await start()).toEqual([502, 'pkce_not_supported'])
  expect(authority.grants).toEqual([])
})

test('a sign-in needs a profile with which a person signs in, and an enabled server', async () => {
  const daemon = await startDaemon()
  const start = async (server_id: string) =>
    readCode(await daemon.post(`/api/mcp/servers/${server_id}/auth/start`, { server_id }))
  const { registry } = await register(daemon)
  expect(await start(registry.server_id)).toBe('MCP_AUTH_PROFILE_REQUIRED')
  const auth_profile_id = await createProfile(daemon, { auth_mode: 'oauth2_client_credentials' })
  const service = await register(daemon, { auth_profile_id })
  expect(await start(service.registry.server_id)).toBe('MCP_AUTH_PROFILE_REQUIRED')
  const off = await register(daemon, { auth_profile_id: await createProfile(daemon), enabled: false })
  expect(await start(off.registry.server_id)).toBe('MCP_SERVER_DISABLED')
})

test.each([
  ['m365', { tenant_id: 'contoso' }, 'https://login.microsoftonline.com/contoso/oauth2/v2.0/authorize'],
  ['gmail_google', {}, 'https://accounts.google.com/o/oauth2/v2/auth'],
])('the sign-in page of %s is known', async (provider, profile, page) => {
  const daemon = await startDaemon()
  const redirect_uri = 'https://apprentice.example/callback'
  const scopes = ['Mail.Read']
  const auth_profile_id = await createProfile(daemon, { provider, client_id: 'app', redirect_uri, scopes, ...profile })
  const { registry } = await register(daemon, { provider, auth_profile_id, supported_tools: ['outlook_mail_search'] })
  const { auth_url } = await startSignIn(daemon, registry.server_id)
  expect(auth_url.split('?')[0]).toBe(page)
})

test('a service gets a token for itself with the secret of its client', async () => {
  const daemon = await startDaemon()
  const authority = await startAuthorizationServer()
  await daemon.request({ method: 'PUT', url: '/api/vault/secrets/service', payload: { value: CLIENT_SECRET } })
  const profile = {
    auth_mode: 'oauth2_client_credentials',
    client_id: 'service-client',
    secret_ref: 'secret:service',
    scopes: ['notes.read'],
  }
  const { server_id } = await registerProtected(daemon, { authority, profile })
  const reply = await daemon.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id })
  expect(reply.json()).toMatchObject({ auth_state: 'healthy', scopes_granted: ['notes.read'] })
  expect((await smokeTest(daemon, server_id)).status).toBe('passed')
  expect(authority.grants).toEqual(['client_credentials'])
})

test.each([
  ['an elliptic curve', 'ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ['RSA', 'RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
])('a service signs who it is with a private key of %s, which is not sent', async (_kind, alg, generate) => {
  const { publicKey, privateKey } = generate()
  const authority = await startAuthorizationServer({ client_key: { jwk: publicKey.export({ format: 'jwk' }), alg } })
  const daemon = await startDaemon()
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  await daemon.request({ method: 'PUT', url: '/api/vault/secrets/key', payload: { value: pem } })
  const profile = {
    auth_mode: 'oauth2_client_credentials',
    client_id: 'key-client',
    secret_ref: 'secret:key',
    scopes: ['notes.read'],
  }
  const { server_id } = await registerProtected(daemon, { authority, profile })
  const reply = await daemon.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id })
  expect(reply.json()).toMatchObject({ auth_state: 'healthy', scopes_granted: ['notes.read'] })
  expect(authority.grants).toEqual(['client_credentials'])
  expect(await smokeTest(daemon, server_id)).toMatchObject({ status: 'passed' })
  expect(findFilesWith(daemon.home, [pem.split('\n')[1] ?? ''])).toEqual([])
})

test('a private key that cannot be read is named, and nothing is sent', async () => {
  const daemon = await startDaemon()
  const value = '-----BEGIN PRIVATE KEY-----\nbm90IGEga2V5\n-----END PRIVATE KEY-----\n'
  await daemon.request({ method: 'PUT', url: '/api/vault/secrets/key', payload: { value } })
  const profile = { auth_mode: 'oauth2_client_credentials', client_id: 'service-client', secret_ref: 'secret:key' }
  const { authority, server_id } = await registerProtected(daemon, { profile })
  const reply = await daemon.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id })
  expect(reply.json()).toMatchObject({
    error: { code: 'MCP_OAUTH_TOKEN_EXCHANGE_FAILED', details: { reason_code: 'client_key_unreadable' } },
  })
  expect(authority.grants).toEqual([])
})
