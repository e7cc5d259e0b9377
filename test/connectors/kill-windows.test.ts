import { join } from 'node:path'
import type { ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { expect, test, vi } from 'vitest'
import { type Daemon, startDaemon } from '../kit/daemon.ts'
import { startAuthorizationServer, visitSignInPage } from './authorization-server.ts'
import { approve, call, listPending, readCall, waitForEnd } from './call-kit.ts'
import { readServers } from './connector-kit.ts'
import { makeFolder } from './home-search.ts'
import { openHome, register, type KilledHome } from './killed-home.ts'
import { signIn } from './sign-in-kit.ts'
import { startToolServer } from './tool-server.ts'

const LONG = { timeout: 60_000 }
const KILLER = join(import.meta.dirname, '../install/killer.mjs')

/** A home whose daemon copies it at moments at which it might be killed. */
async function openCopiedHome(table: string, env: { readonly COPY_AT: string; readonly KILL_AT?: string }) {
  const copies = makeFolder()
  const watched = { NODE_OPTIONS: `--import ${KILLER}`, KILL_TABLES: table, COPY_TO: copies, ...env }
  const home = await openHome(watched)
  const restart = (folder: string): Promise<Daemon> => startDaemon({ home: folder, now: new Date().toISOString() })
  return { home, restart, restartCopy: (moment: string) => restart(join(copies, moment)) }
}

/** A call is written when it is asked about, approved, started and ended. What is left at each kill, and how often the next daemon makes it. */
const KILLS = [
  ['inside:2', 'waiting_for_approval', 1],
  ['after:2', 'succeeded', 1],
  ['inside:3', 'succeeded', 1],
  ['after:3', 'interrupted', 0],
  ['inside:4', 'interrupted', 0],
  ['after:4', 'succeeded', 0],
] as const

test('a kill from the approval to the end of a call: the call is made once at most, and nothing waits for ever', async () => {
  const remote = await startToolServer()
  const { home, restartCopy } = await openCopiedHome('connector_dispatches', {
    COPY_AT: KILLS.map(([moment]) => moment).join(','),
  })
  await home.start()
  const server_id = await register(home, remote)
  const asked = await home.post<{ error: { details: { dispatch_id: string } } }>('/api/capabilities/connectors/call', {
    server_id,
    tool_name: 'write_note',
  })
  const { dispatch_id } = asked.error.details
  await home.post(`/api/mcp/ask-first/${dispatch_id}/approve`, { decision: 'approve_once' })
  const read = () => home.get<ConnectorCall>(`/api/capabilities/connectors/calls/${dispatch_id}`)
  await vi.waitUntil(async () => (await read()).status === 'succeeded', LONG)
  await home.kill()
  expect(remote.calls).toEqual(['write_note'])
  for (const [moment, status, made] of KILLS) {
    remote.calls.length = 0
    const daemon = await restartCopy(moment)
    if (status === 'waiting_for_approval') {
      expect(await readCall(daemon, dispatch_id), moment).toMatchObject({ status })
      expect(remote.calls).toEqual([])
      await approve(daemon, dispatch_id)
    }
    const ended = await waitForEnd(daemon, dispatch_id)
    expect(ended.status, moment).toBe(status === 'waiting_for_approval' ? 'succeeded' : status)
    expect(remote.calls, moment).toHaveLength(made)
    expect(await listPending(daemon), moment).toEqual([])
    await daemon.stop()
  }
}, 180_000)

const beginSignIn = async (home: KilledHome, server_id: string): Promise<string> => {
  const { auth_url } = await home.post<{ auth_url: string }>(`/api/mcp/servers/${server_id}/auth/start`, { server_id })
  return visitSignInPage(auth_url, new URL(auth_url).searchParams.get('redirect_uri') ?? '')
}

test('a kill before the code is exchanged loses nothing, and one before the tokens are stored needs a new sign-in', async () => {
  const [authority, remote] = [await startAuthorizationServer(), await startToolServer()]
  authority.protect(remote)
  // A sign-in is written when it begins, when its code arrives, and when its tokens are stored.
  const moments = { COPY_AT: 'inside:3,after:3', KILL_AT: 'after:5' }
  const { home, restart, restartCopy } = await openCopiedHome('connector_sign_ins', moments)
  await home.start()
  const { auth_profile_id } = await home.post<{ auth_profile_id: string }>('/api/mcp/auth-profiles', {
    provider: 'custom_remote',
    scopes: ['notes.read', 'offline_access'],
  })
  const server_id = await register(home, remote, { auth_profile_id, supported_tools: ['read_note'] })
  expect(await (await fetch(await beginSignIn(home, server_id))).json()).toMatchObject({ auth_state: 'healthy' })
  await expect(fetch(await beginSignIn(home, server_id))).rejects.toThrow('fetch failed')
  expect(authority.grants).toEqual(['authorization_code'])

  const readAuth = async (daemon: Daemon) =>
    (await daemon.get(`/api/mcp/servers/${server_id}/auth/status`)).json<ServerAuthStatus>()
  const useToken = async (daemon: Daemon) => {
    const target = { target_kind: 'tool', server_id, tool_name: 'read_note' }
    await daemon.post('/api/mcp/policy/update', { target, decision: { mode: 'enabled' } })
    return (await call(daemon, server_id, 'read_note')).json<ConnectorCall>()
  }
  const resumed = await restart(home.home)
  await vi.waitUntil(() => authority.grants.length === 2, LONG)
  await vi.waitUntil(async () => (await readAuth(resumed)).auth_state === 'healthy', LONG)
  expect(await useToken(resumed)).toMatchObject({ status: 'succeeded' })
  await resumed.stop()

  const stored = await restartCopy('after:3')
  expect(await readAuth(stored)).toMatchObject({ auth_state: 'healthy' })
  expect(await useToken(stored)).toMatchObject({ status: 'succeeded' })
  expect(authority.grants).toHaveLength(2)
  await stored.stop()

  // The tokens were given out and never stored, and the code is good once.
  const lost = await restartCopy('inside:3')
  await vi.waitUntil(async () => (await readAuth(lost)).last_auth_error_code === 'invalid_grant', LONG)
  expect((await readServers(lost))[0]?.badge_states).toEqual(['auth_required'])
  expect(await signIn(lost, server_id)).toMatchObject({ auth_state: 'healthy' })
  expect(await useToken(lost)).toMatchObject({ status: 'succeeded' })
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
  const signInAgain = async (): Promise<unknown> => (await fetch(await beginSignIn(home, server_id))).json()
  const readState = async () => (await home.get<{ auth_state: string }>(`${auth}/status`)).auth_state
  expect(await signInAgain()).toMatchObject({ auth_state: 'healthy' })
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
  const callTool = () =>
    home.post<{ status?: string; error?: { code: string } }>('/api/capabilities/connectors/call', {
      server_id,
      tool_name: 'read_note',
    })
  expect((await callTool()).error?.code).toBe('MCP_AUTH_CHALLENGE_REQUIRED')
  expect(remote.calls).toEqual([])
  expect(await signInAgain()).toMatchObject({ auth_state: 'healthy' })
}, 120_000)
