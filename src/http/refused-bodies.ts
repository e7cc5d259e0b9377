import { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** More than the largest body that a route accepts, so that a body that is a little too large is read to its end. */
const MAX_DISCARDED_BYTES = 128 * 1024 * 1024
const MAX_DISCARD_MS = 5000

/**
 * Reads the rest of a body before a refusal is sent. A connection that is closed with unread bytes is reset, and the
 * client then sees a broken pipe instead of the refusal. Beyond the limits the connection is closed all the same.
 */
export function registerBodyDiscarding(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const { raw } = request
    if (reply.statusCode < 400 || !(raw instanceof IncomingMessage) || raw.complete) return payload
    void reply.header('connection', 'close')
    await discardBody(raw)
    return payload
  })
}

async function discardBody(raw: IncomingMessage): Promise<void> {
  let bytes = 0
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, MAX_DISCARD_MS)
    const finish = () => {
      clearTimeout(timer)
      resolve()
    }
    raw.unpipe()
    raw.on('data', ({ length }: Buffer) => {
      bytes += length
      if (bytes > MAX_DISCARDED_BYTES) finish()
    })
    raw.once('end', finish)
    raw.once('close', finish)
    raw.once('error', finish)
    raw.resume()
  })
}
