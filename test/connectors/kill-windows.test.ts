import { setTimeout as pause } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { startAuthorizationServer, visitSignInPage } from './authorization-server.ts'
import { openHome, register, type KilledHome } from './killed-home.ts'
import { startToolServer } from './tool-server.ts'

const LONG = { timeout: 60_000 }
const ENDED = ['succeeded', 'interrupted', 'denied']

interface State {
  readonly status: string
}

const readCall = ({ get }: KilledHome, id: string) => get<State>(`/api/capabilities/connectors/calls/${id}`)

test('a daemon that is killed between an approval and its call makes the call once at most, and nothing waits for ever', async () => {
  const home = await openHome()
  const remote = await startToolServer()
  await home.start()
  const server_id = await register(home, remote)
  const found: string[] = []
  for (const delay of [0, 4, 12]) {
    const before = remote.calls.length
    const asked = await home.post<{ error: { details: { dispatch_id: string } } }>(
      '/api/capabilities/connectors/call',
      { server_id, tool_name: 'write_note' },
    )
    const { dispatch_id } = asked.error.details
    const approving = home
      .post(`/api/mcp/ask-first/${dispatch_id}/approve`, { decision: 'approve_once' })
      .catch(() => undefined)
    await pause(delay)
    await home.kill()
    await approving
    await home.start()
    // An approval that was not stored leaves the call where it was: waiting for a decision.
    if ((await readCall(home, dispatch_id)).status === 'waiting_for_approval') {
      await home.post(`/api/mcp/ask-first/${dispatch_id}/deny`, { decision: 'deny' })
    }
    await vi.waitUntil(async () => ENDED.includes((await readCall(home, dispatch_id)).status), LONG)
    const { status } = await readCall(home, dispatch_id)
    found.push(status)
    const made = remote.calls.length - before
    expect(made, status).toBeLessThanOrEqual(1)
    if (status !== 'interrupted') expect(made).toBe(status === 'succeeded' ? 1 : 0)
    expect(await home.get('/api/mcp/ask-first/pending')).toMatchObject({ dispatches: [] })
  }
  expect(found).toHaveLength(3)
}, 180_000)

test('a refresh token that is good once and whose answer a kill lost leads to a challenge, and a sign-in to a token', async () => {
  const home = await openHome()
  const [authority, remote] = [await startAuthorizationServer({ rotates: true }), await startToolServer()]
  authority.protect(remote)
  await home.start()
  const { auth_profile_id } = await home.post<{ auth_profile_id: string }>('/api/mcp/auth-profiles', {
    provider: 'custom_remote',
    scopes: ['notes.read', 'offline_access'],
    refresh_policy: 'auto_if_refresh_token',
  })
  const server_id = await register(home, remote, { auth_profile_id, supported_tools: ['read_note'] })
  const auth = `/api/mcp/servers/${server_id}/auth`
  const signIn = async (): Promise<unknown> => {
    const { auth_url } = await home.post<{ auth_url: string }>(`${auth}/start`, { server_id })
    const back = await visitSignInPage(auth_url, new URL(auth_url).searchParams.get('redirect_uri') ?? '')
    return (await fetch(back)).json()
  }
  const readState = async () => (await home.get<{ auth_state: string }>(`${auth}/status`)).auth_state
  expect(await signIn()).toMatchObject({ auth_state: 'healthy' })
  authority.beforeReply = () => new Promise(() => {})
  const refreshing = home.post(`${auth}/refresh`, { server_id, force: true }).catch(() => undefined)
  await vi.waitUntil(() => authority.grants.length === 2, LONG)
  await home.kill()
  await refreshing
  authority.beforeReply = () => Promise.resolve()
  await home.start()
  // The token that is stored is used as long as it is good.
  expect(await readState()).toBe('healthy')
  const refused = await home.post<{ error: { code: string } }>(`${auth}/refresh`, { server_id, force: true })
  expect(refused.error.code).toBe('MCP_OAUTH_TOKEN_EXCHANGE_FAILED')
  expect(await readState()).toBe('challenge_required')
  const call = () =>
    home.post<{ status?: string; error?: { code: string } }>('/api/capabilities/connectors/call', {
      server_id,
      tool_name: 'read_note',
    })
  expect((await call()).error?.code).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  expect(remote.calls).toEqual([])
  expect(await signIn()).toMatchObject({ auth_state: 'healthy' })
}, 120_000)
