import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../failure/failure.ts'
import type { Caller } from '../http/access.ts'
import { createApiAccess } from '../mcp/tool/api-call.ts'
import { createMcpServer } from '../mcp/server.ts'
import { McpSessions } from '../mcp/sessions.ts'
import { listEventsSince, getLastEventSeq } from '../store/command/events.ts'
import { version } from '../config/version.ts'
import type { System } from '../daemon/system.ts'

const PAGE_SIZE = 500

/** Changes of these kinds may change which abilities are usable. */
const ABILITY_EVENTS =
  /^(ability\.(registered|changed|removed|route|quarantined|unquarantined|promoted)|capability\.(health|quarantined))/

/** The MCP server: streamable HTTP with sessions. It answers by calling the routes of the API in this process. */
export function mcpRoutes(app: FastifyInstance, system: System): void {
  const sessions = new McpSessions({ newId: system.newId, nowMs: () => system.clock().getTime() })
  const stopListening = announceAbilities(system, sessions)
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
    const server = createMcpServer({
      version,
      offersAbilities: (request.query as Record<string, unknown>)['ability_tools'] !== 'false',
      openApi: (authorization) =>
        createApiAccess(app, { authorization, host: request.headers.host ?? '', 'x-correlation-id': system.newId() }),
    })
    const transport = await sessions.open(server, key, (session) => system.access.trackRequest(caller, session))
    if (transport === undefined) throw new Failure('RATE_LIMITED', 'Too many MCP sessions are open. Close one first.')
    return transport
  }
}

/** Announces new tools after a commit that may have changed which abilities are usable. */
function announceAbilities({ store }: System, sessions: McpSessions): () => void {
  let cursor = store.read(getLastEventSeq)
  return store.onCommit(() => {
    if (sessions.count === 0) {
      cursor = store.read(getLastEventSeq)
      return
    }
    let isChanged = false
    for (;;) {
      const events = store.read((reader) => listEventsSince(reader, cursor, PAGE_SIZE))
      isChanged ||= events.some(({ kind }) => ABILITY_EVENTS.test(kind))
      cursor = events.at(-1)?.seq ?? cursor
      if (events.length < PAGE_SIZE) break
    }
    if (isChanged) sessions.announceTools()
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
