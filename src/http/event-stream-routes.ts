import type {} from '@fastify/sse'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type AnyContract, listUrls } from '@apprentice/contracts/base/route.ts'
import { Failure } from '../failure/failure.ts'
import type { Hub } from '../live/hub.ts'
import type { StreamSource } from '../live/source.ts'
import type { Reader } from '../store/db/db.ts'
import { toRequestContext, type RequestContext, toRouteSchema } from './contract-routes.ts'

const BACKLOG_LIMIT = 500

/** Counts the open streams of a user, of events and of screens together. */
export interface StreamCounters {
  readonly hub: Pick<Hub, 'countStreams'>
  readonly liveScreens: { countViewers(principal: string): number }
  readonly config: { readonly settings: { readonly limits: { readonly streams_per_user: number } } }
}

export interface StreamOptions extends StreamCounters {
  readonly hub: Hub
  /** Finds the source of the stream or throws a failure, and calls `read` with the same reader. */
  readonly find: (
    request: RequestContext,
    read: (reader: Reader, source: StreamSource) => StartingPoint,
  ) => Promise<StartingPoint>
}

export interface StartingPoint {
  readonly source: StreamSource
  readonly afterSeq: number
  /** The source has ended and the client has seen all its events. */
  readonly exhausted: boolean
}

/** Mounts a contract whose reply is an event stream. */
export function mountStream(app: FastifyInstance, contract: AnyContract, options: StreamOptions): void {
  for (const url of listUrls(contract)) {
    app.route({
      method: 'GET',
      url,
      // The plugin's own negotiation would not answer with the error envelope.
      sse: 'manual',
      config: { contract },
      schema: toRouteSchema(contract),
      handler: async (request, reply) => {
        assertAcceptsStream(request.headers.accept)
        const context = toRequestContext(contract, request)
        const from = await options.find(context, (reader, source) => findStartingPoint(reader, source, request))
        const { principal } = context.caller
        assertStreamAvailable(options, principal)
        if (from.exhausted) return reply.code(204).send()
        void reply.header('cache-control', 'no-cache').header('x-accel-buffering', 'no')
        await options.hub.serve(reply, { source: from.source, afterSeq: from.afterSeq, principal })
        return undefined
      },
    })
  }
}

export function assertStreamAvailable({ hub, liveScreens, config }: StreamCounters, principal: string): void {
  const open = hub.countStreams(principal) + liveScreens.countViewers(principal)
  if (open < config.settings.limits.streams_per_user) return
  throw new Failure('STREAM_LIMIT_REACHED', 'You have too many streams open. Close one first.')
}

export function assertAcceptsStream(accept: string | undefined): void {
  if (accept === undefined || /text\/event-stream|text\/\*|\*\/\*/.test(accept)) return
  throw new Failure('NOT_ACCEPTABLE', 'Accept must allow text/event-stream.')
}

/** The stream starts after the last id the client saw, or with the newest part of the backlog. */
function findStartingPoint(reader: Reader, source: StreamSource, request: FastifyRequest): StartingPoint {
  const { last_event_id, backlog = BACKLOG_LIMIT } = request.query as { last_event_id?: string; backlog?: number }
  const last = source.findLastId(reader)
  const seen = parseLastEventId(request.headers['last-event-id'] ?? last_event_id, last)
  return {
    source,
    afterSeq: seen ?? Math.max(0, last - backlog),
    exhausted: seen === last && source.isOver(reader),
  }
}

/** Undefined for an invalid id or one that was not issued yet. The client then gets the backlog. */
function parseLastEventId(sent: string | string[] | undefined, last: number): number | undefined {
  if (typeof sent !== 'string' || !/^\d{1,15}$/.test(sent)) return undefined
  const id = Number(sent)
  return id <= last ? id : undefined
}
