import type { FastifyInstance } from 'fastify'
import { parseEvents, type StreamEvent } from '@apprentice/contracts/event-stream.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { type Call, createClient, fillPath } from '@apprentice/contracts/client.ts'

export type StreamEvents = (
  contract: AnyContract,
  params: Readonly<Record<string, string>>,
) => AsyncGenerator<StreamEvent>

export interface ApiAccess {
  readonly call: Call
  readonly streamEvents: StreamEvents
  readonly readEvidence: (evidenceId: string) => Promise<Buffer>
}

/** Calls routes of the daemon in this process, with the headers that identify the sender of an MCP request. */
export function createApiAccess(app: FastifyInstance, headers: Readonly<Record<string, string>>): ApiAccess {
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const reply = await app.inject({
      method: (init.method ?? 'GET') as 'GET' | 'POST',
      url,
      headers: { ...(init.headers as Record<string, string>), ...headers },
      ...(typeof init.body === 'string' ? { payload: init.body } : {}),
    })
    const body = reply.rawPayload.length === 0 ? null : new Uint8Array(reply.rawPayload)
    const type = reply.headers['content-type']
    return new Response(body, {
      status: reply.statusCode,
      headers: typeof type === 'string' ? { 'content-type': type } : {},
    })
  }
  return {
    call: createClient({ baseUrl: '', fetch: send as typeof fetch }),
    readEvidence: async (evidenceId) => {
      const reply = await send(`/api/evidence/${encodeURIComponent(evidenceId)}`)
      return Buffer.from(await reply.arrayBuffer())
    },
    streamEvents: async function* (contract, params) {
      const reply = await app.inject({
        method: 'GET',
        url: fillPath(contract.url, params),
        headers: { ...headers, accept: 'text/event-stream' },
        payloadAsStream: true,
      })
      if (reply.statusCode !== 200) return
      yield* parseEvents(reply.stream() as AsyncIterable<Uint8Array>)
    },
  }
}
