import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../failure/failure.ts'
import type { Caller } from '../http/access.ts'
import { createApiAccess } from '../mcp/tool/api-call.ts'
import { createMcpServer } from '../mcp/server.ts'
import { findChanges } from '../mcp/resources.ts'
import { McpSessions } from '../mcp/sessions.ts'
import { isWanted } from '../live/source.ts'
import { getLastEventSeq, listEventsSince, type StoredEvent } from '../store/command/events.ts'
import { version } from '../config/version.ts'
import type { System } from '../daemon/system.ts'

const PAGE_SIZE = 500

/** The MCP server: streamable HTTP with sessions. It answers by calling the routes of the API in this process. */
export function mcpRoutes(app: FastifyInstance, system: System): void {
  const sessions = new McpSessions({ newId: system.newId, nowMs: () => system.clock().getTime() })
  const stopListening = announceChanges(system, sessions)
  system.access.onSettingsChanged((key) => sessions.announceTools(key))
  app.addHook('preClose', (done) => {
    stopListening()
    sessions.endAll()
    done()
  })
  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    config: { privilege: 'read' },
    handler: async (request, reply) => {
      const { caller } = request
      assertOrigin(request.headers)
      if (caller?.via !== 'token') {
        throw new Failure('UNAUTHENTICATED', 'Send a valid token as `Authorization: Bearer …`.')
      }
      const transport = await findTransport(request, caller)
      const answer = await transport.handleRequest(toWebRequest(request), { parsedBody: request.body })
      return await sendAnswer(reply, answer)
    },
  })

  async function findTransport(request: FastifyRequest, caller: Caller) {
    const { key } = caller
    const id = request.headers['mcp-session-id']
    if (typeof id === 'string') {
      const session = sessions.find(id, key)
      if (session === undefined) throw new Failure('NOT_FOUND', 'There is no such MCP session. Initialize a new one.')
      return session.transport
    }
    const subscriptions = new Set<string>()
    const server = createMcpServer({
      version,
      subscriptions,
      readGuides: system.readGuides,
      offersAbilities: () => system.access.offersAbilities(key),
      openApi: (authorization, trace) =>
        createApiAccess(app, {
          ...trace,
          authorization,
          host: request.headers.host ?? '',
          'x-correlation-id': system.newId(),
        }),
    })
    const transport = await sessions.open({ server, key, user_id: caller.user_id, subscriptions }, (session) =>
      system.access.trackRequest(caller, session),
    )
    if (transport === undefined) throw new Failure('RATE_LIMITED', 'Too many MCP sessions are open. Close one first.')
    return transport
  }
}

const LOOPBACK_NAMES = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The protocol demands that requests from pages of other hosts are refused, whatever token they have. */
function assertOrigin({ origin, host = '' }: FastifyRequest['headers']): void {
  if (origin === undefined) return
  const hostname = URL.canParse(origin) ? new URL(origin).hostname : ''
  if (hostname === host.replace(/:\d+$/, '') || LOOPBACK_NAMES.has(hostname)) return
  throw new Failure('ORIGIN_NOT_ALLOWED', 'MCP requests from pages of other hosts are refused.')
}

/** Tells clients after a commit what changed, as far as their users may see it. */
function announceChanges({ store }: System, sessions: McpSessions): () => void {
  let cursor = store.read(getLastEventSeq)
  return store.onCommit(() => {
    if (sessions.count === 0) {
      cursor = store.read(getLastEventSeq)
      return
    }
    const events: StoredEvent[] = []
    for (;;) {
      const page = store.read((reader) => listEventsSince(reader, cursor, PAGE_SIZE))
      events.push(...page)
      cursor = page.at(-1)?.seq ?? cursor
      if (page.length < PAGE_SIZE) break
    }
    sessions.announce((user_id) =>
      findChanges(events.filter((event) => isWanted({ user_id, kinds: [], follow: true }, event))),
    )
  })
}

function toWebRequest(request: FastifyRequest): Request {
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  )
  return new Request(`http://${request.headers.host ?? 'localhost'}${request.url}`, {
    method: request.method,
    headers,
  })
}

async function sendAnswer(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  void reply.code(answer.status)
  for (const [name, value] of answer.headers) void reply.header(name, value)
  return answer.body === null ? await reply.send() : await reply.send(Readable.fromWeb(answer.body as never))
}
