import { expect, test, vi } from 'vitest'
import { startAuthorizationServer, visitSignInPage } from './authorization-server.ts'
import { openHome, register } from './killed-home.ts'
import { startToolServer } from './tool-server.ts'

const LONG = { timeout: 60_000 }

test('a daemon that is killed in a sign-in or a refresh keeps the token it has, and the sign-in can be repeated', async () => {
  const home = await openHome()
  const [authority, remote] = [await startAuthorizationServer(), await startToolServer()]
  authority.protect(remote)
  await home.start()
  const profile = await home.post<{ auth_profile_id: string }>('/api/mcp/auth-profiles', {
    provider: 'custom_remote',
    scopes: ['notes.read', 'offline_access'],
  })
  const server_id = await register(home, remote, { auth_profile_id: profile.auth_profile_id })
  const begin = async (): Promise<string> => {
    const { auth_url } = await home.post<{ auth_url: string }>(`/api/mcp/servers/${server_id}/auth/start`, {
      server_id,
    })
    return visitSignInPage(auth_url, new URL(auth_url).searchParams.get('redirect_uri') ?? '')
  }
  const readState = () => home.get<{ auth_state: string }>(`/api/mcp/servers/${server_id}/auth/status`)
  expect(await (await fetch(await begin())).json()).toMatchObject({ auth_state: 'healthy' })

  // The authorization server has renewed the token, and the daemon dies before it gets the reply.
  authority.beforeReply = () => new Promise(() => {})
  const refreshing = home.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id, force: true }).catch(() => {})
  await vi.waitUntil(() => authority.grants.length === 2, LONG)
  await home.kill()
  await refreshing
  authority.beforeReply = () => Promise.resolve()
  await home.start()
  expect(await readState()).toMatchObject({ auth_state: 'healthy' })
  const refreshed = await home.post(`/api/mcp/servers/${server_id}/auth/refresh`, { server_id, force: true })
  expect(refreshed).toMatchObject({ auth_state: 'healthy' })

  // The code is used, and the daemon dies before it gets the tokens.
  const callback = await begin()
  authority.beforeReply = () => new Promise(() => {})
  const finishing = fetch(callback).catch(() => undefined)
  await vi.waitUntil(() => authority.grants.length === 4, LONG)
  await home.kill()
  await finishing
  authority.beforeReply = () => Promise.resolve()
  await home.start()
  // The next start tries the code again. It was used, so the sign-in has ended.
  await vi.waitUntil(async () => (await readState()).auth_state === 'challenge_required', LONG)
  expect(await (await fetch(await begin())).json()).toMatchObject({ auth_state: 'healthy' })
}, 120_000)
