import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createSkill } from '@apprentice/contracts/skills/scaffold.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { type RequestContext, toRequestContext, toRouteSchema } from '../http/contract-routes.ts'
import { buildNewSkill, type NewSkill } from '../workers/new-skill.ts'
import { answerRequest } from '../workers/request-answers.ts'
import { requestWorkers } from '../workers/worker-pool.ts'

/** A smaller body is read without a worker. */
const SMALL_BYTES = 32 * 1024

/**
 * Adds a route that a worker answers: it parses and validates the body, and serialises the reply by the contract.
 * `request-answers.ts` must have an answer for the route.
 */
export function mountWorkerRoute(app: FastifyInstance, contract: AnyContract): void {
  const { response: _response, ...schema } = { response: undefined, ...toRouteSchema(contract) }
  mountRawRoute(app, { contract, schema }, async (body, _request, reply) => {
    const input = { url: contract.url, body }
    const answer = isSmall(body) ? answerRequest(input) : await requestWorkers.run('answerRequest', input)
    return reply.code(contract.status).type('application/json; charset=utf-8').send(toBuffer(answer))
  })
}

type NewSkillRequest = RequestContext<unknown, unknown, NewSkill['body']>

/** Adds the route for new skills. A worker reads the body, because it may contain a large recording. */
export function mountNewSkillRoute(
  app: FastifyInstance,
  handle: (request: NewSkillRequest, scaffold: NewSkill['scaffold']) => Promise<unknown>,
): void {
  mountRawRoute(app, { contract: createSkill, schema: toRouteSchema(createSkill) }, async (bytes, request, reply) => {
    const { body, scaffold } = isSmall(bytes) ? buildNewSkill(bytes) : await requestWorkers.run('buildNewSkill', bytes)
    void reply.code(createSkill.status)
    return handle({ ...toRequestContext(createSkill, request), body }, scaffold)
  })
}

interface RawRoute {
  readonly contract: AnyContract
  readonly schema: { body?: unknown }
}

/** The body stays bytes until the handler reads it. */
function mountRawRoute(
  app: FastifyInstance,
  { contract, schema: { body: _body, ...schema } }: RawRoute,
  handle: (body: Uint8Array, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): void {
  app.route({
    method: contract.method,
    url: contract.url,
    config: { contract, raw_body: true },
    ...(contract.body_limit === undefined ? {} : { bodyLimit: contract.body_limit }),
    schema,
    handler: (request, reply) =>
      handle(request.body instanceof Uint8Array ? request.body : new Uint8Array(), request, reply),
  })
}

const isSmall = (body: Uint8Array): boolean => body.length <= SMALL_BYTES

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength)
