import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { WhenOver } from '../../kit/phone-of-the-run.ts'
import { calendarRoutes } from './graph-calendar.ts'
import { driveRoutes } from './graph-drive.ts'
import { mailRoutes } from './graph-mail.ts'
import { fail, type GraphAnswer, type GraphCall, type GraphRoute, ok } from './graph-reply.ts'
import { searchRoutes } from './graph-search.ts'
import type { GraphState } from './graph-state.ts'
import { teamsRoutes } from './graph-teams.ts'

const ROUTES: readonly GraphRoute[] = [
  { method: 'GET', path: /^\/me$/, scopes: ['User.Read'], handle: ({ state }) => ok(state.me) },
  ...driveRoutes,
  ...searchRoutes,
  ...mailRoutes,
  ...calendarRoutes,
  ...teamsRoutes,
]
const VERSION = '/v1.0'

/** A server that answers like Microsoft Graph, from a state that the test reads and changes. */
export interface GraphServer {
  /** The address with the version. */
  readonly url: string
  readonly state: GraphState
  /** Every request, as method and path. Those of a batch follow it. */
  readonly requests: string[]
  /** The headers of the last request with a token. */
  headers: Readonly<Record<string, string | undefined>>
  /** Headers of the last download. */
  downloaded: Readonly<Record<string, string | undefined>>
  /** The scopes of a token. Undefined: it is not valid. */
  findScopes: (token: string) => Promise<readonly string[] | undefined>
  /** Answers requests instead of the server while it returns something. */
  intercept: (method: string, path: string) => GraphAnswer | undefined
  /** Requests are answered when this resolves. */
  ready: Promise<void>
}

export async function startGraphServer(state: GraphState, whenOver: WhenOver): Promise<GraphServer> {
  const listener = createServer((request, reply) => {
    // A client that goes away needs no answer.
    answer(server, request, reply).catch(() => reply.destroy())
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  whenOver(async () => {
    listener.closeAllConnections()
    listener.close()
    await once(listener, 'close')
  })
  const server: GraphServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}${VERSION}`,
    state,
    requests: [],
    headers: {},
    downloaded: {},
    findScopes: () => Promise.resolve(undefined),
    intercept: () => undefined,
    ready: Promise.resolve(),
  }
  return server
}

type Headers = GraphServer['headers']

async function answer(server: GraphServer, request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', server.url)
  const headers = request.headers as Headers
  await server.ready
  if (url.pathname.startsWith('/download/')) return sendFile(server, url, headers, reply)
  server.headers = headers
  const body = await buffer(request)
  const given = body.length === 0 ? {} : (JSON.parse(body.toString()) as Record<string, unknown>)
  const token = headers['authorization']?.replace(/^Bearer /, '')
  const scopes = token === undefined ? undefined : await server.findScopes(token)
  const path = url.pathname.slice(VERSION.length)
  const asked = { method: request.method ?? '', path, query: url.searchParams, body: given, headers }
  const sent = scopes === undefined ? refuse(server, asked) : respond(server, asked, scopes)
  reply.writeHead(sent.status, { 'content-type': 'application/json', 'request-id': 'b1e2', ...sent.headers })
  reply.end(sent.body === undefined ? undefined : JSON.stringify(sent.body))
}

type ParsedRequest = Omit<GraphCall, 'parts' | 'state' | 'url'>

function refuse(server: GraphServer, { method, path }: ParsedRequest): GraphAnswer {
  server.requests.push(`${method} ${path}`)
  return fail(401, 'InvalidAuthenticationToken', { 'www-authenticate': 'Bearer realm="", error="invalid_token"' })
}

function respond(server: GraphServer, asked: ParsedRequest, scopes: readonly string[]): GraphAnswer {
  const { method, path, body } = asked
  server.requests.push(`${method} ${decodeURIComponent(path)}`)
  const forced = server.intercept(method, decodeURIComponent(path))
  if (forced !== undefined) return forced
  if (method === 'POST' && path === '/$batch') {
    const requests = body['requests'] as BatchRequest[]
    return ok({ responses: requests.map((one) => respondInBatch(server, one, scopes)).toReversed() })
  }
  // Colons of site paths are not encoded, all else is.
  const found = ROUTES.map((route) => ({ route, match: route.path.exec(path) })).find(
    ({ route, match }) => match !== null && route.method === method,
  )
  if (found === undefined) return fail(404, 'ResourceNotFound')
  const { route, match } = found
  if (!route.scopes.some((scope) => scopes.includes(scope) || scopes.some((one) => one.endsWith('/.default')))) {
    return fail(403, 'Authorization_RequestDenied')
  }
  const parts = (match ?? []).slice(1).map((part) => (part === undefined ? undefined : decodeURIComponent(part)))
  return route.handle({ ...asked, parts: parts as string[], state: server.state, url: server.url })
}

interface BatchRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly body?: Record<string, unknown>
  readonly headers?: Headers
}

function respondInBatch(
  server: GraphServer,
  { id, method, url, body = {}, headers = {} }: BatchRequest,
  scopes: readonly string[],
) {
  const { pathname, searchParams } = new URL(`http://graph${url}`)
  const answered = respond(server, { method, path: pathname, query: searchParams, body, headers }, scopes)
  return {
    id,
    status: answered.status,
    headers: { 'Content-Type': 'application/json', ...answered.headers },
    body: answered.body,
  }
}

/** An address for a download is good without a token, and refuses one. */
function sendFile(server: GraphServer, { pathname }: URL, headers: Headers, reply: ServerResponse): void {
  server.downloaded = headers
  server.requests.push(`GET ${pathname}`)
  const [, , drive = '', id] = pathname.split('/').map(decodeURIComponent)
  const content = server.state.drives[drive]?.find((one) => one.id === id)?.content
  if (content === undefined || headers['authorization'] !== undefined) reply.writeHead(404).end()
  else reply.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content)
}
