import { createRequire } from 'node:module'
import type { FastifySerializerCompiler } from 'fastify'
import type FastJsonStringify from 'fast-json-stringify'
import { z } from 'zod'
import { type ReplySchema, toReplySchema } from './reply-schema.ts'

export type ReplyCompiler = FastifySerializerCompiler<z.ZodType>
type Serialize = (data: unknown) => string

const require = createRequire(import.meta.url)
const serializers = new WeakMap<z.ZodType, Serialize>()

/**
 * Serializes replies by code that is compiled from their contract. It writes the fields that the contract names and
 * fails if a required one is missing. It does not check formats and limits of values: the types of the handlers and the
 * tests do. Most routes are never called in one life of the daemon, so each is compiled at its first reply.
 */
export const compileReply: ReplyCompiler = ({ schema }) => {
  return (data) => findSerializer(schema)(data)
}

function findSerializer(schema: z.ZodType): Serialize {
  let serialize = serializers.get(schema)
  if (serialize === undefined) {
    serialize = buildSerializer(toReplySchema(schema))
    serializers.set(schema, serialize)
  }
  return serialize
}

function buildSerializer(schema: ReplySchema): Serialize {
  const build = require('fast-json-stringify') as typeof FastJsonStringify.default
  return build(schema as Parameters<typeof build>[0])
}
