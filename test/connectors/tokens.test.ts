import { expect, test } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'
import { startDaemon } from '../kit/daemon.ts'
import { startAuthorizationServer } from './authorization-server.ts'
import { patch, readCode, readServers, smokeTest } from './connector-kit.ts'
import { registerProtected, signIn } from './sign-in-kit.ts'

const refresh = (daemon: Daemon, server_id: string, body: object = {}) =>
  daemon.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id, ...body })
const revoke = (daemon: Daemon, server_id: string, body: object = {}) =>
  daemon.post(`/api/mcp/servers/${server_id}/auth/revoke`, { server_id, ...body })

test('a refresh replaces the token when it is due or forced, and else does nothing', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  await signIn(daemon, server_id)
  expect((await refresh(daemon, server_id)).statusCode).toBe(200)
  expect(authority.grants).toEqual(['authorization_code'])
  daemon.clock.advance(56 * 60_000)
  expect((await refresh(daemon, server_id)).json()).toMatchObject({
    auth_state: 'healthy',
    expires_at: '2026-03-01T13:56:00.000Z',
  })
  await refresh(daemon, server_id, { force: true })
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token'])
  expect((await smokeTest(daemon, server_id)).status).toBe('passed')
})

test('refresh tokens that are good once are used once, also by requests at the same time', async () => {
  const daemon = await startDaemon()
  const authority = await startAuthorizationServer({ rotates: true })
  const { server_id } = await registerProtected(daemon, { authority })
  await signIn(daemon, server_id)
  const replies = await Promise.all([1, 2, 3].map(() => refresh(daemon, server_id, { force: true })))
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  expect(authority.grants).toEqual(['authorization_code', 'refresh_token'])
  expect((await refresh(daemon, server_id, { force: true })).statusCode).toBe(200)
})

test('force does not lift the policy of the profile', async () => {
  const daemon = await startDaemon()
  const { authority, server_id, auth_profile_id } = await registerProtected(daemon)
  expect(readCode(await refresh(daemon, server_id))).toBe('MCP_OAUTH_REFRESH_NOT_ALLOWED')
  await signIn(daemon, server_id)
  await patch(daemon, `/api/mcp/auth-profiles/${auth_profile_id}`, { refresh_policy: 'deny' })
  const reply = await refresh(daemon, server_id, { force: true })
  expect([reply.statusCode, readCode(reply)]).toEqual([403, 'MCP_OAUTH_REFRESH_NOT_ALLOWED'])
  expect(authority.grants).toEqual(['authorization_code'])
})

test('a refused refresh needs a person, and one that could not be tried does not', async () => {
  const daemon = await startDaemon()
  const { authority, server_id } = await registerProtected(daemon)
  await signIn(daemon, server_id)
  const readAuth = async () => (await readServers(daemon))[0]?.auth
  authority.tokenStatus = 500
  expect(readCode(await refresh(daemon, server_id, { force: true }))).toBe('MCP_OAUTH_TOKEN_EXCHANGE_FAILED')
  expect(await readAuth()).toMatchObject({ auth_state: 'healthy' })
  authority.tokenStatus = undefined
  expect((await refresh(daemon, server_id, { force: true })).statusCode).toBe(200)
  await authority.forget()
  expect(readCode(await refresh(daemon, server_id, { force: true }))).toBe('MCP_OAUTH_TOKEN_EXCHANGE_FAILED')
  expect(await readAuth()).toMatchObject({ auth_state: 'challenge_required', last_auth_error_code: 'invalid_grant' })
})

test('revoking forgets the tokens here and tells the authorization server', async () => {
  const daemon = await startDaemon()
  const { authority, remote, server_id } = await registerProtected(daemon)
  await signIn(daemon, server_id)
  const [token = ''] = authority.secrets
  expect((await revoke(daemon, server_id, { revoke_remote: true })).json()).toMatchObject({
    revoked: true,
    status: 'revoked',
  })
  expect(await remote.judge(`Bearer ${token}`)).toMatchObject({ status: 401 })
  const [server] = await readServers(daemon)
  expect(server).toMatchObject({ auth: { auth_state: 'revoked' }, badge_states: ['auth_required'] })
  expect(server?.available_actions).not.toContain('revoke_auth')
  expect((await revoke(daemon, server_id)).json()).toMatchObject({ status: 'already_revoked' })
  expect(daemon.system.store.read(({ db }) => db.prepare('SELECT entry_ref FROM vault_entries').pluck().all())).toEqual(
    [expect.stringMatching(/^client:/)],
  )
})

test('revoking deletes a profile only if nothing else uses it', async () => {
  const daemon = await startDaemon()
  const { server_id } = await registerProtected(daemon)
  await signIn(daemon, server_id)
  await revoke(daemon, server_id, { keep_auth_profile: false })
  expect((await daemon.get('/api/mcp/auth-profiles')).json()).toMatchObject({ auth_profiles: [] })
  const shared = await registerProtected(daemon, { profile: { shared_profile: true } })
  await revoke(daemon, shared.server_id, { keep_auth_profile: false })
  expect((await daemon.get('/api/mcp/auth-profiles')).json<{ auth_profiles: object[] }>().auth_profiles).toHaveLength(1)
})
