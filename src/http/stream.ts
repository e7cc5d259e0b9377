import type {} from '@fastify/sse'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { Failure } from '../failure/failure.ts'
import type { Hub, Source } from '../live/hub.ts'
import type { Reader } from '../store/db/db.ts'
import { lastStreamSeq } from '../store/command/events.ts'
import { ask, type RequestContext, schemaOf } from './mount.ts'

const backlogLimit = 500

export interface StreamRules {
  readonly hub: Hub
  readonly streams_per_token: number
  /** Finds what is to be followed, or refuses as any route would; then reads within the same look. */
  readonly find: (
    asked: RequestContext,
    read: (reader: Reader, source: Source) => StartingPoint,
  ) => Promise<StartingPoint>
}

export interface StartingPoint {
  readonly source: Source
  readonly afterSeq: number
  /** All there will ever be has been seen. */
  readonly exhausted: boolean
}

/** Mounts a contract whose reply is an event stream. */
export function mountStream(app: FastifyInstance, contract: AnyContract, rules: StreamRules): void {
  app.route({
    method: 'GET',
    url: contract.url,
    // The plugin's own negotiation would refuse in its own words.
    sse: 'manual',
    config: { contract },
    schema: schemaOf(contract),
    handler: async (request, reply) => {
      assertAcceptsStream(request.headers.accept)
      const asked = ask(contract, request)
      const from = await rules.find(asked, (reader, source) =>
        startingPoint(reader, source, request),
      )
      const { key } = asked.caller
      if (rules.hub.streamsOf(key) >= rules.streams_per_token) {
        throw new Failure('STREAM_LIMIT_REACHED', 'Close another event stream first.')
      }
      if (from.exhausted) return reply.code(204).send()
      void reply.header('cache-control', 'no-cache').header('x-accel-buffering', 'no')
      await rules.hub.serve(reply, { source: from.source, afterSeq: from.afterSeq, key })
      return undefined
    },
  })
}

function assertAcceptsStream(accept: string | undefined): void {
  if (accept === undefined || /text\/event-stream|text\/\*|\*\/\*/.test(accept)) return
  throw new Failure('NOT_ACCEPTABLE', 'This route answers text/event-stream.')
}

/** Where the stream begins: after the last id the client saw, else with the newest part of the backlog. */
function startingPoint(reader: Reader, source: Source, request: FastifyRequest): StartingPoint {
  const { last_event_id } = request.query as { last_event_id?: string }
  const last = lastStreamSeq(reader, source.subject)
  const seen = seenId(request.headers['last-event-id'] ?? last_event_id, last)
  return {
    source,
    afterSeq: seen ?? Math.max(0, last - backlogLimit),
    exhausted: seen === last && source.isOver(reader),
  }
}

/** An id that makes no sense, or lies ahead of us, is as none: the client gets the whole backlog. */
function seenId(sent: string | string[] | undefined, last: number): number | undefined {
  if (typeof sent !== 'string' || !/^\d{1,15}$/.test(sent)) return undefined
  const id = Number(sent)
  return id <= last ? id : undefined
}
