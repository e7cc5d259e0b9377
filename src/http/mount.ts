import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { AnyContract, Privilege } from '@apprentice/contracts/base/route.ts'
import type { Caller } from './access.ts'

/** A request after its contract let it through. */
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
  }
  interface FastifyRequest {
    caller: Caller | undefined
  }
}

type Handler<C extends AnyContract> = (
  asked: RequestContext<z.output<C['params']>, z.output<C['query']>, z.output<C['body']>>,
  reply: FastifyReply,
) => z.input<C['reply']> | Promise<z.input<C['reply']>>

/**
 * `on(contract)(handler)` makes a contract answer: it validates, it serialises, and the handler is what is left.
 * In two calls, so that the compiler knows the contract before it reads the handler.
 */
export const mounting =
  (app: FastifyInstance) =>
  <C extends AnyContract>(contract: C) =>
  (handler: Handler<C>): void => {
    app.route({
      method: contract.method,
      url: contract.url,
      config: { contract },
      ...(contract.body_limit === undefined ? {} : { bodyLimit: contract.body_limit }),
      schema: schemaOf(contract),
      handler: (request, reply) => {
        void reply.code(contract.status)
        if (contract.media !== undefined) void reply.type(contract.media)
        // The validator compiler has replaced each part by the contract's own output.
        return handler(ask(contract, request) as Parameters<Handler<C>>[0], reply)
      },
    })
  }

/** What Fastify validates and serialises for a contract. */
export function schemaOf(contract: AnyContract) {
  return {
    params: contract.params,
    querystring: contract.query,
    ...(contract.method === 'GET' ? {} : { body: contract.body }),
    ...(contract.media === undefined && !contract.stream ? { response: repliesOf(contract) } : {}),
  }
}

function repliesOf({ status, pending_status, reply }: AnyContract) {
  return { [status]: reply, ...(pending_status === undefined ? {} : { [pending_status]: reply }) }
}

export function ask(contract: AnyContract, request: FastifyRequest): RequestContext {
  return {
    contract,
    params: request.params,
    query: request.query,
    body: request.body,
    // Open routes have no caller and never look at it.
    caller: request.caller as Caller,
    correlation_id: request.id,
    headers: request.headers,
  }
}
