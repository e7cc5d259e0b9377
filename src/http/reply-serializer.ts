import type { FastifySerializerCompiler } from 'fastify'
import type { z } from 'zod'

/**
 * Validates a reply by its contract and drops fields that the contract does not name. The schema is parsed and not
 * encoded, because encoding validates twice; reply schemas must therefore not transform.
 */
export const serializeReply: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (data) =>
    JSON.stringify(schema.parse(data))
