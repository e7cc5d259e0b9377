import type { FastifyInstance } from 'fastify'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { answerRequest } from '../workers/request-answers.ts'
import { requestWorkers } from '../workers/worker-pool.ts'
import { toRouteSchema } from '../http/contract-routes.ts'

/** A smaller body is answered without a worker. */
const SMALL_BYTES = 32 * 1024

/**
 * Adds a route that a worker answers: it parses and validates the body, and serialises the reply by the contract.
 * The body stays bytes until then. `request-answers.ts` must have an answer for the route.
 */
export function mountWorkerRoute(app: FastifyInstance, contract: AnyContract): void {
  const { body: _body, response: _response, ...schema } = { response: undefined, ...toRouteSchema(contract) }
  app.route({
    method: contract.method,
    url: contract.url,
    config: { contract, raw_body: true },
    ...(contract.body_limit === undefined ? {} : { bodyLimit: contract.body_limit }),
    schema,
    handler: async (request, reply) => {
      const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
      const input = { url: contract.url, body }
      const answer =
        body.length <= SMALL_BYTES ? answerRequest(input) : await requestWorkers.run('answerRequest', input)
      return reply.code(contract.status).type('application/json; charset=utf-8').send(toBuffer(answer))
    },
  })
}

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
