import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

const LOOK_MS = 20
/** How long a request in progress may delay a stop. */
const MAX_ANSWER_MS = 6000

/**
 * Follows the requests of a server and returns how to close it. Requests in progress are answered first. A request that
 * has not arrived as a whole is not in progress: its connection is closed, because its client may never send the rest.
 */
export function followRequests(app: FastifyInstance): () => Promise<void> {
  const open = new Set<IncomingMessage>()
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    open.add(request)
    response.once('close', () => open.delete(request))
  })
  const isAnswering = () => [...open].some(({ complete }) => complete)
  return async () => {
    const closed = app.close()
    const end = Date.now() + MAX_ANSWER_MS
    while (isAnswering() && Date.now() < end) await sleep(LOOK_MS)
    app.server.closeAllConnections()
    await closed
  }
}
