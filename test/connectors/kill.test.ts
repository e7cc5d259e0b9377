import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from '../bench/program.ts'
import { startAuthorizationServer, visitSignInPage } from './authorization-server.ts'
import { startToolServer, type ToolServer } from './tool-server.ts'

const TOKEN = 'kill-admin-token-0123456789'
const LONG = { timeout: 60_000 }

/** A home on which daemons are started and killed. */
async function openHome() {
  const home = mkdtempSync(join(tmpdir(), 'apprentice-kill-'))
  let program: Program | undefined
  let url = ''
  onTestFinished(async () => {
    await program?.end('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  })
  const request = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return (await reply.json()) as T
  }
  return {
    start: async (): Promise<void> => {
      program = startProgram([daemonProgram, 'serve'], buildDaemonEnv(home, TOKEN))
      url = String((await program.firstLine)['url'])
    },
    kill: async (): Promise<unknown> => program?.end('SIGKILL'),
    get: <T>(path: string) => request<T>('GET', path),
    post: <T>(path: string, body: object = {}) => request<T>('POST', path, body),
    getUrl: () => url,
  }
}

type Home = Awaited<ReturnType<typeof openHome>>

async function register({ post }: Home, remote: ToolServer, more: object = {}): Promise<string> {
  const made = await post<{ server: { registry: { server_id: string } } }>('/api/mcp/servers/register', {
    provider: 'custom_remote',
    display_name: 'Notes',
    transport: 'remote_http',
    endpoint_url: remote.url,
    supported_tools: ['write_note'],
    ...more,
  })
  return made.server.registry.server_id
}

test('a daemon that is killed during an approved call does not make it again, and nothing waits for ever', async () => {
  const home = await openHome()
  const remote = await startToolServer()
  await home.start()
  const server_id = await register(home, remote)
  const asked = await home.post<{ error: { details: { dispatch_id: string } } }>('/api/capabilities/connectors/call', {
    server_id,
    tool_name: 'write_note',
  })
  const { dispatch_id } = asked.error.details
  remote.afterCall = new Promise(() => {})
  await home.post(`/api/mcp/ask-first/${dispatch_id}/approve`, { decision: 'approve_once' })
  await vi.waitUntil(() => remote.calls.length > 0, LONG)
  await home.kill()
  await home.start()
  expect(await home.get(`/api/capabilities/connectors/calls/${dispatch_id}`)).toMatchObject({ status: 'interrupted' })
  expect(await home.get('/api/mcp/ask-first/pending')).toMatchObject({ dispatches: [] })
  remote.afterCall = Promise.resolve()
  const next = await home.post<{ error: { details: { dispatch_id: string } } }>('/api/capabilities/connectors/call', {
    server_id,
    tool_name: 'write_note',
  })
  await home.post(`/api/mcp/ask-first/${next.error.details.dispatch_id}/approve`, { decision: 'approve_once' })
  await vi.waitUntil(() => remote.calls.length > 1, LONG)
  expect(remote.calls).toEqual(['write_note', 'write_note'])
}, 120_000)

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
