import type { ConnectorCall } from '@apprentice/contracts/connectors/dispatch.ts'
import type { M365OperationResponse } from '@apprentice/contracts/connectors/m365/operations.ts'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { type Daemon, type DaemonOptions, startDaemon } from '../../kit/daemon.ts'
import type { WhenOver } from '../../kit/phone-of-the-run.ts'
import { type AuthorizationServer, CLIENT_SECRET, startAuthorizationServer } from '../authorization-server.ts'
import { approve, call, waitForEnd } from '../call-kit.ts'
import { createProfile } from '../connector-kit.ts'
import { REDIRECT_URI, sendCallback, startSignIn, visitPage } from '../sign-in-kit.ts'
import { type GraphServer, startGraphServer } from './graph-server.ts'
import { createGraphState } from './graph-state.ts'
import { buildWordFile } from './word-fixture.ts'

export const TENANT = 'contoso'

/** Every scope that the operations use. */
export const ALL_SCOPES = [
  'User.Read',
  'Files.Read.All',
  'Sites.Read.All',
  'Mail.Read',
  'Mail.ReadWrite',
  'Calendars.Read',
  'Calendars.ReadWrite',
  'ChannelMessage.Send',
  'Chat.ReadWrite',
  'Team.ReadBasic.All',
  'Channel.ReadBasic.All',
  'ChannelMessage.Read.All',
  'People.Read',
]

export const ALL_FAMILIES = [
  'search',
  'sharepoint_list_documents',
  'onedrive_fetch_file',
  'project_get_latest_document',
  'outlook_mail_search',
  'outlook_get_thread',
  'outlook_draft_reply',
  'calendar_check_availability',
  'calendar_create_event',
  'calendar_update_event',
  'word_fetch_content',
  'word_fetch_comments',
  'teams_post_message',
  'teams_get_channel_context',
]

/** A daemon, a Graph server and the authorization server that both trust. */
export interface M365Kit {
  readonly daemon: Daemon
  readonly graph: GraphServer
  readonly authority: AuthorizationServer
}

export interface M365Server extends M365Kit {
  readonly server_id: string
  readonly auth_profile_id: string
}

interface KitOptions {
  readonly whenOver?: WhenOver
  readonly m365?: Readonly<Record<string, unknown>>
  readonly authority?: { readonly rotates?: boolean }
  readonly log?: DaemonOptions['log']
}

export async function startM365(options: KitOptions = {}): Promise<M365Kit> {
  const { whenOver = onTestFinished, m365 = {} } = options
  const graph = await startGraphServer(createGraphState(await buildWordFile()), whenOver)
  const service = `${new URL(graph.url).origin}/.default`
  const microsoft = { tenant: TENANT, scopes: [...ALL_SCOPES, 'openid', 'profile', 'offline_access', service] }
  const authority = await startAuthorizationServer({ ...options.authority, microsoft, whenOver })
  graph.findScopes = (token) => authority.findScopes(token)
  const connectors = { m365: { graph_url: graph.url, login_url: authority.origin, ...m365 } }
  const daemon = await startDaemon({
    settings: { connectors },
    whenOver,
    ...(options.log === undefined ? {} : { log: options.log }),
  })
  await daemon.request({ method: 'PUT', url: '/api/vault/secrets/m365', payload: { value: CLIENT_SECRET } })
  return { daemon, graph, authority }
}

export const DELEGATED = {
  provider: 'm365',
  tenant_id: TENANT,
  client_id: 'known-client',
  secret_ref: 'secret:m365',
  redirect_uri: REDIRECT_URI,
  refresh_policy: 'auto_if_refresh_token',
}

export const registration = (changes: object = {}): object => ({
  provider: 'm365',
  display_name: 'Contoso',
  transport: 'provider_native',
  supported_tools: ALL_FAMILIES,
  ...changes,
})

export const registerM365 = (daemon: Daemon, changes: object = {}) =>
  daemon.post('/api/mcp/servers/register', registration(changes))

/** Registers a server of Microsoft 365, to which nobody has signed in yet. */
export async function addServer(
  kit: M365Kit,
  { profile = {}, server = {} }: { profile?: object; server?: object } = {},
): Promise<M365Server> {
  const scopes = ['openid', 'offline_access', ...ALL_SCOPES]
  const auth_profile_id = await createProfile(kit.daemon, { ...DELEGATED, scopes, ...profile })
  const reply = await registerM365(kit.daemon, { auth_profile_id, ...server })
  expect(reply.statusCode, reply.body).toBe(201)
  const { server_id } = reply.json<{ server: { registry: { server_id: string } } }>().server.registry
  return { ...kit, server_id, auth_profile_id }
}

export async function signInTo({ daemon, server_id }: M365Server): Promise<ServerAuthStatus> {
  const reply = await sendCallback(daemon, await visitPage(await startSignIn(daemon, server_id)))
  expect(reply.statusCode, reply.body).toBe(200)
  return reply.json<ServerAuthStatus>()
}

/** A server to which a person has signed in. */
export async function connectM365(
  options: KitOptions & { profile?: object; server?: object } = {},
): Promise<M365Server> {
  const server = await addServer(await startM365(options), options)
  await signInTo(server)
  return server
}

export const callFamily = ({ daemon, server_id }: M365Server, family: string, given: object, more: object = {}) =>
  call(daemon, server_id, family, { arguments: given, ...more })

type Answer = Extract<M365OperationResponse, { status: 'ok' | 'degraded' }>

const readAnswer = (made: ConnectorCall): Answer => {
  expect(made, made.error_message).toMatchObject({ status: 'succeeded' })
  return made.result?.structured_content as unknown as Answer
}

/** Calls an operation that reads. Returns its answer. */
export async function readFamily(server: M365Server, family: string, given: object): Promise<Answer> {
  const reply = await callFamily(server, family, given)
  expect(reply.statusCode, reply.body).toBe(200)
  return readAnswer(reply.json<ConnectorCall>())
}

/** Asks for an operation that writes. Returns the id of the call that waits. */
export async function askFamily(server: M365Server, family: string, given: object): Promise<string> {
  const reply = await callFamily(server, family, given)
  expect(reply.statusCode, reply.body).toBe(403)
  const { code, details } = reply.json<{ error: { code: string; details: { dispatch_id: string } } }>().error
  expect(code).toBe('MCP_ASK_FIRST_REQUIRED')
  return details.dispatch_id
}

export async function approveFamily(server: M365Server, id: string): Promise<Answer> {
  await approve(server.daemon, id)
  return readAnswer(await waitForEnd(server.daemon, id))
}

/** One connected server for all tests of a file. */
export function shareM365(options: Parameters<typeof connectM365>[0] = {}): () => M365Server {
  const ends: (() => void | Promise<void>)[] = []
  let server: M365Server | undefined
  beforeAll(async () => {
    server = await connectM365({ ...options, whenOver: (end) => ends.push(end) })
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => {
    if (server === undefined) throw new Error('The shared server exists only while tests run.')
    return server
  }
}
