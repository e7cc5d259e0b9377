import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import type { WhenOver } from '../kit/phone-of-the-run.ts'

/** What a server in a test offers and how it answers. The test changes it while the server runs. */
export interface ToolServer {
  readonly url: string
  tools: readonly string[]
  /** Answers every request with this status instead. */
  status: number | undefined
  headers: Readonly<Record<string, string>>
  /** The tools that were called, in order. */
  readonly calls: string[]
  /** The trace of each call, as its request names it. */
  readonly traceparents: unknown[]
  /** Their arguments. */
  readonly arguments: unknown[]
  requests: number
  /** How often a client opened a connection. */
  handshakes: number
  /** What a call gets. */
  note: string
  /** Whether a call gets an error of the tool. */
  is_error: boolean
  /** Sends this before it answers a call. */
  progress: { readonly progress: number; readonly total: number; readonly message?: string } | undefined
  /** How many calls a client cancelled. */
  cancelled: number
  /** The session that the server knows. Undefined: it keeps none. */
  session: string | undefined
  /** Calls are answered when this resolves. */
  afterCall: Promise<void>
  /** Requests are answered when this resolves. */
  ready: Promise<void>
  /** JSON documents by path. */
  documents: Readonly<Record<string, unknown>>
  /** Refuses a request because of its authorization. */
  judge: (authorization: string | undefined) => Promise<Refusal | undefined>
  /** The authorization of the last request. */
  authorization: string | undefined
}

interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** An MCP server on a free port of this machine. Tools whose names begin with `read` declare that they only read. */
export async function startToolServer(whenOver: WhenOver = onTestFinished): Promise<ToolServer> {
  const state: Omit<ToolServer, 'url'> = {
    tools: ['read_note', 'write_note'],
    status: undefined,
    headers: {},
    calls: [],
    traceparents: [],
    arguments: [],
    requests: 0,
    handshakes: 0,
    note: 'a note',
    progress: undefined,
    is_error: false,
    cancelled: 0,
    session: undefined,
    ready: Promise.resolve(),
    afterCall: Promise.resolve(),
    documents: {},
    judge: () => Promise.resolve(undefined),
    authorization: undefined,
  }
  const listener = createServer((request, reply) => {
    state.requests += 1
    if (state.status === undefined) void answer(request, reply, state)
    else reply.writeHead(state.status, state.headers).end()
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  whenOver(async () => {
    listener.closeAllConnections()
    listener.close()
    await once(listener, 'close')
  })
  const { port } = listener.address() as AddressInfo
  return Object.assign(state, { url: `http://127.0.0.1:${port}/mcp` })
}

async function answer(request: IncomingMessage, reply: ServerResponse, state: Omit<ToolServer, 'url'>): Promise<void> {
  await state.ready
  const document = state.documents[request.url ?? '']
  if (document !== undefined) {
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    return
  }
  if (request.url !== '/mcp') {
    reply.writeHead(404).end()
    return
  }
  state.authorization = request.headers.authorization
  const refusal = await state.judge(request.headers.authorization)
  if (refusal !== undefined) {
    reply.writeHead(refusal.status, refusal.headers).end()
    return
  }
  const session = request.headers['mcp-session-id']
  if (session !== undefined && session !== state.session) {
    reply.writeHead(404).end()
    return
  }
  const server = new Server({ name: 'tools', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: state.tools.map((name) => ({
      name,
      inputSchema: { type: 'object' as const },
      annotations: { readOnlyHint: name.startsWith('read') },
    })),
  }))
  server.setNotificationHandler('notifications/cancelled', () => {
    state.cancelled += 1
  })
  server.oninitialized = () => {
    state.handshakes += 1
  }
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    state.calls.push(params.name)
    state.traceparents.push(params._meta?.['traceparent'])
    state.arguments.push(params.arguments)
    const progressToken = params._meta?.progressToken
    if (state.progress !== undefined && progressToken !== undefined) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...state.progress } })
    }
    await state.afterCall
    return { content: [{ type: 'text' as const, text: state.note }], isError: state.is_error }
  })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: state.progress === undefined })
  await server.connect(transport)
  const body = request.method === 'POST' ? (Readable.toWeb(request) as ReadableStream) : undefined
  const init = {
    method: request.method ?? 'GET',
    headers: request.headers as Record<string, string>,
    body,
    duplex: 'half',
  }
  const answered = await transport.handleRequest(new Request(`http://127.0.0.1${request.url}`, init as RequestInit))
  const headers = state.session === undefined ? {} : { 'mcp-session-id': state.session }
  reply.writeHead(answered.status, { ...Object.fromEntries(answered.headers), ...headers })
  if (answered.body === null) reply.end()
  else Readable.fromWeb(answered.body).pipe(reply)
}
