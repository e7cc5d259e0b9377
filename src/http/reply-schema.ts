import { z } from 'zod'

/** The part of JSON Schema that decides how a value is written. */
export interface ReplySchema {
  type?: string
  nullable?: boolean
  properties?: Record<string, ReplySchema>
  required?: readonly string[]
  additionalProperties?: ReplySchema | boolean
  items?: ReplySchema | readonly ReplySchema[]
  minItems?: number
  maxItems?: number
  anyOf?: readonly ReplySchema[]
  allOf?: readonly ReplySchema[]
  const?: unknown
  enum?: readonly unknown[]
  $ref?: string
  definitions?: Record<string, ReplySchema>
}

type JsonSchema = z.core.JSONSchema.BaseSchema

/**
 * The schema of a reply without limits, formats and patterns: a compiled serializer would only check them to choose
 * between alternatives, and alternatives of the contracts differ in their fields and constants.
 */
export function toReplySchema(type: z.ZodType): ReplySchema {
  // Named schemas are written in place, so that each has its type beside its alternatives.
  const metadata = z.registry<z.core.JSONSchemaMeta>()
  return reduce(z.toJSONSchema(type, { target: 'draft-7', unrepresentable: 'any', metadata }))
}

function reduce(schema: JsonSchema | boolean): ReplySchema {
  if (typeof schema === 'boolean') return {}
  const { definitions, $ref } = schema as JsonSchema & { definitions?: Record<string, JsonSchema> }
  const shape = $ref === undefined ? reduceShape(schema) : { $ref }
  return definitions === undefined ? shape : { ...shape, definitions: mapValues(definitions, reduce) }
}

function reduceShape(schema: JsonSchema): ReplySchema {
  const { anyOf = schema.oneOf, allOf, type, properties, required, additionalProperties, items } = schema
  if (anyOf !== undefined) return reduceAlternatives(anyOf)
  if (allOf !== undefined) return { allOf: allOf.map(reduce) }
  if (properties !== undefined || additionalProperties !== undefined) {
    return {
      type: 'object',
      properties: mapValues(properties ?? {}, reduce),
      ...(required === undefined ? {} : { required }),
      ...(typeof additionalProperties === 'object' ? { additionalProperties: reduce(additionalProperties) } : {}),
    }
  }
  if (Array.isArray(items)) {
    return { type: 'array', items: items.map(reduce), minItems: items.length, maxItems: items.length }
  }
  if (items !== undefined) return { type: 'array', items: reduce(items) }
  return {
    ...(typeof type === 'string' ? { type } : {}),
    ...(schema.const === undefined ? {} : { const: schema.const }),
    ...(schema.enum === undefined ? {} : { enum: schema.enum }),
  }
}

/** Nothing is dropped from values without fields, so such alternatives are written as they are. */
function reduceAlternatives(schemas: readonly (JsonSchema | boolean)[]): ReplySchema {
  const some = schemas.filter((schema) => typeof schema === 'boolean' || schema.type !== 'null').map(reduce)
  const [only] = some
  if (some.length === 1 && only !== undefined && only.type !== undefined && some.length < schemas.length) {
    return toNullable(only)
  }
  if (schemas.map(reduce).every(isPlain)) return {}
  return { anyOf: schemas.map(reduce) }
}

/** A validator of alternatives accepts null only if the listed values include it. */
function toNullable({ const: only, enum: values, ...schema }: ReplySchema): ReplySchema {
  const listed = only === undefined ? values : [only]
  return { ...schema, nullable: true, ...(listed === undefined ? {} : { enum: [...listed, null] }) }
}

const isPlain = ({ type }: ReplySchema): boolean => type !== undefined && type !== 'object' && type !== 'array'

const mapValues = <T, U>(values: Record<string, T>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
