import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startDaemon } from '../kit/daemon.ts'
import { startAuthorizationServer, visitSignInPage } from './authorization-server.ts'
import { approve, listPending, readUseReceipts, waitForEnd } from './call-kit.ts'
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

/** A call is written when it is asked about, when it is approved and when it starts. */
test.each([
  ['between the approval and the call', { KILL_AT: 'after:2', status: 'succeeded', result: 'success', made: 1 }],
  ['right after the call was started', { KILL_AT: 'after:3', status: 'interrupted', result: 'failure', made: 0 }],
])(
  'a daemon that is killed %s makes the call once at most',
  async (_when, { KILL_AT, status, result, made }) => {
    const remote = await startToolServer()
    const killer = join(import.meta.dirname, '../install/killer.mjs')
    const home = await openHome({ NODE_OPTIONS: `--import ${killer}`, KILL_TABLES: 'connector_dispatches', KILL_AT })
    await home.start()
    const server_id = await register(home, remote)
    const asked = await home.post<{ error: { details: { dispatch_id: string } } }>(
      '/api/capabilities/connectors/call',
      {
        server_id,
        tool_name: 'write_note',
      },
    )
    const { dispatch_id } = asked.error.details
    // Whether the answer still arrives depends on the moment.
    await home.post(`/api/mcp/ask-first/${dispatch_id}/approve`, { decision: 'approve_once' }).catch(() => undefined)
    expect(await home.ended()).toBe('SIGKILL')
    expect(remote.calls).toEqual([])

    const daemon = await startDaemon({ home: home.home, now: new Date().toISOString() })
    const call = await waitForEnd(daemon, dispatch_id)
    expect(call.status).toBe(status)
    // A person who got no answer decides again.
    expect(await approve(daemon, dispatch_id)).toMatchObject({ resumed: true, dispatch: { status: 'resumed' } })
    expect(remote.calls).toHaveLength(made)
    expect(await listPending(daemon)).toEqual([])
    const receipts = await readUseReceipts(daemon)
    expect(receipts).toMatchObject([{ dispatch_id, result, correlation_id: call.correlation_id }])
  },
  120_000,
)
