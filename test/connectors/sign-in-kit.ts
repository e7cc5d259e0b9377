import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import type { SignInStart } from '@apprentice/contracts/connectors/sign-in.ts'
import { expect } from 'vitest'
import type { Daemon } from '../kit/daemon.ts'
import { type AuthorizationServer, startAuthorizationServer, visitSignInPage } from './authorization-server.ts'
import { createProfile, register } from './connector-kit.ts'
import { startToolServer, type ToolServer } from './tool-server.ts'

export const REDIRECT_URI = 'http://127.0.0.1/callback'
export const SCOPES = ['notes.read', 'offline_access']

export interface ProtectedServer {
  readonly authority: AuthorizationServer
  readonly remote: ToolServer
  readonly server_id: string
  readonly auth_profile_id: string
}

/** A registered server that accepts only tokens of an authorization server. */
export async function registerProtected(
  daemon: Daemon,
  { profile = {}, authority }: { profile?: object; authority?: AuthorizationServer } = {},
): Promise<ProtectedServer> {
  const used = authority ?? (await startAuthorizationServer())
  const remote = await startToolServer()
  used.protect(remote)
  const auth_profile_id = await createProfile(daemon, { scopes: SCOPES, ...profile })
  const { registry } = await register(daemon, {
    endpoint_url: remote.url,
    auth_profile_id,
    supported_tools: ['read_note', 'write_note'],
  })
  return { authority: used, remote, server_id: registry.server_id, auth_profile_id }
}

export async function startSignIn(
  daemon: Daemon,
  server_id: string,
  { token, ...body }: { readonly token?: string; readonly [field: string]: unknown } = {},
): Promise<SignInStart> {
  const reply = await daemon.post(`/api/mcp/servers/${server_id}/auth/start`, { server_id, ...body }, token)
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<SignInStart>()
}

/** Visits the page of a sign-in. Returns the path and query of the callback. */
export async function visitPage({ server_id, auth_url }: SignInStart): Promise<string> {
  const back = new URL(auth_url).searchParams.get('redirect_uri') ?? ''
  const { search } = new URL(await visitSignInPage(auth_url, back))
  return `/api/mcp/servers/${server_id}/auth/callback${search}`
}

/** Sends what a browser sends: no token, and a header that asks for a page if `page` is set. */
export const sendCallback = (daemon: Daemon, url: string, page = false) =>
  daemon.request({ method: 'GET', url, token: null, ...(page ? { headers: { accept: 'text/html' } } : {}) })

export async function signIn(daemon: Daemon, server_id: string): Promise<ServerAuthStatus> {
  const reply = await sendCallback(daemon, await visitPage(await startSignIn(daemon, server_id)))
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<ServerAuthStatus>()
}
