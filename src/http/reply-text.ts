import type { FastifySerializerCompiler } from 'fastify'
import type { z } from 'zod'

/**
 * A reply goes out through its contract, which checks it and drops what it does not name. No contract turns a reply
 * into something else on the way, so it is parsed and not encoded: zod looks at everything twice to encode it.
 */
export const replyText: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (data) =>
    JSON.stringify(schema.parse(data))
