import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { type AnyContract, listUrls, type Privilege } from '@apprentice/contracts/base/route.ts'
import type { Caller } from './access.ts'

/** A request that its contract has validated. */
export interface RequestContext<P = unknown, Q = unknown, B = unknown> {
  readonly contract: AnyContract
  readonly params: P
  readonly query: Q
  readonly body: B
  readonly caller: Caller
  readonly correlation_id: string
  readonly headers: FastifyRequest['headers']
}

declare module 'fastify' {
  interface FastifyContextConfig {
    contract?: AnyContract
    /** For a route without a contract. */
    privilege?: Privilege
    /** The body is not parsed. */
    raw_body?: boolean
  }
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

type Handler<C extends AnyContract> = (
  request: RequestContext<z.output<C['params']>, z.output<C['query']>, z.output<C['body']>>,
  reply: FastifyReply,
) => z.input<C['reply']> | Promise<z.input<C['reply']>>

/**
 * `const on = mountContract(app)`, then `on(contract)(handler)` adds a route that validates its input and serialises its
 * reply by the contract. Contract and handler are separate calls so that TypeScript infers the handler's types.
 */
export const mountContract =
  (app: FastifyInstance) =>
  <C extends AnyContract>(contract: C) =>
  (handler: Handler<C>): void => {
    for (const url of listUrls(contract)) {
      app.route({
        method: contract.method,
        url,
        config: { contract },
        ...(contract.body_limit === undefined ? {} : { bodyLimit: contract.body_limit }),
        schema: toRouteSchema(contract),
        handler: (request, reply) => {
          void reply.code(contract.status)
          if (contract.media !== undefined) void reply.type(contract.media)
          // The validator compiler has replaced each part by the contract's own output.
          return handler(toRequestContext(contract, request) as Parameters<Handler<C>>[0], reply)
        },
      })
    }
  }

/** The schemas by which Fastify validates and serialises a route. */
export function toRouteSchema(contract: AnyContract) {
  return {
    params: contract.params,
    querystring: contract.query,
    ...(contract.method === 'GET' ? {} : { body: contract.body }),
    ...(contract.media === undefined && !contract.stream ? { response: toReplySchemas(contract) } : {}),
  }
}

function toReplySchemas({ status, pending_status, reply }: AnyContract) {
  return { [status]: reply, ...(pending_status === undefined ? {} : { [pending_status]: reply }) }
}

export function toRequestContext(contract: AnyContract, request: FastifyRequest): RequestContext {
  return {
    contract,
    params: request.params,
    query: request.query,
    body: request.body,
    // Open routes have no caller and do not read it.
    caller: request.caller as Caller,
    correlation_id: request.id,
    headers: request.headers,
  }
}
