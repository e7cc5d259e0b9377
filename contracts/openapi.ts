import { z } from 'zod'
import { failures } from './base/failures.ts'
import { allRoutes } from './index.ts'
import { type AnyContract, listCommonFailures, FailureReply } from './base/route.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 document of every contract, the same bytes for the same contracts. */
export function openApiDocument(version: string): Json {
  const components: Record<string, Json> = {}
  const paths: Record<string, Record<string, Json>> = {}
  for (const contract of inOrder(allRoutes)) {
    const path = contract.url.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    const operations = (paths[path] ??= {})
    operations[contract.method.toLowerCase()] = operation(contract, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Apprentice',
      version,
      description: 'The control plane where people teach agents.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(
        Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    },
  }
}

/** Independent of the order in which modules list what they export. */
const inOrder = (contracts: readonly AnyContract[]): AnyContract[] =>
  contracts.toSorted((a, b) => (`${a.url} ${a.method}` < `${b.url} ${b.method}` ? -1 : 1))

function operation(contract: AnyContract, components: Record<string, Json>): Json {
  const { method, tag, summary, privilege, status, reply } = contract
  const success = {
    description: summary,
    content: { [mediaOf(contract)]: { schema: schemaOf(reply, 'output', components) } },
  }
  return {
    operationId: operationId(contract),
    tags: [tag],
    summary,
    description: privilege === 'open' ? 'Needs no token.' : `Needs ${privilege} privilege.`,
    ...(privilege === 'open' ? { security: [] } : {}),
    parameters: [
      ...parameters(contract.params, 'path', components),
      ...parameters(contract.query, 'query', components),
    ],
    ...(method === 'GET' || method === 'DELETE'
      ? {}
      : { requestBody: { content: bodyOf(contract, components) } }),
    responses: {
      [status]: success,
      ...(contract.pending_status === undefined ? {} : { [contract.pending_status]: success }),
      ...failureResponses(contract, components),
    },
  }
}

const bodyOf = ({ form, body }: AnyContract, components: Record<string, Json>): Json =>
  form === undefined
    ? json(schemaOf(body, 'input', components))
    : { 'multipart/form-data': { schema: schemaOf(form, 'input', components) } }

const mediaOf = (contract: AnyContract): string =>
  contract.stream ? 'text/event-stream' : (contract.media ?? 'application/json')

function operationId({ method, url }: AnyContract): string {
  const words = url.split(/[^A-Za-z]+/).filter((word) => word !== '' && word !== 'api')
  return [method.toLowerCase(), ...words]
    .map((word, at) => (at === 0 ? word : capital(word)))
    .join('')
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function parameters(
  fields: z.ZodType,
  place: 'path' | 'query',
  components: Record<string, Json>,
): Json[] {
  const schema = schemaOf(fields, 'input', components)
  const properties = (schema['properties'] ?? {}) as Record<string, Json>
  const required = (schema['required'] ?? []) as string[]
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function failureResponses(
  contract: AnyContract,
  components: Record<string, Json>,
): Record<string, Json> {
  const codes = [...new Set([...contract.fails, ...listCommonFailures(contract)])]
  const statuses = [...new Set(codes.map((code) => failures[code].status))].toSorted(
    (a, b) => a - b,
  )
  const content = json(schemaOf(FailureReply, 'output', components))
  return Object.fromEntries(
    statuses.map((status) => {
      const among = codes.filter((code) => failures[code].status === status)
      const lines = among.map((code) => `\`${code}\`: ${failures[code].meaning}`)
      return [String(status), { description: lines.join('\n\n'), content }]
    }),
  )
}

const json = (schema: Json): Json => ({ 'application/json': { schema } })

/** Named schemas become components; a request's form of one that also answers is named `…Input`. */
function schemaOf(type: z.ZodType, io: 'input' | 'output', components: Record<string, Json>): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    // The format says it; the pattern behind it is noise to a reader.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }) as Json
  const { $defs = {}, ...rest } = schema as { $defs?: Record<string, Json> }
  const names = new Map<string, string>()
  for (const name of Object.keys($defs)) names.set(name, io === 'input' ? `${name}Input` : name)
  const renamed = (part: Json): Json =>
    JSON.parse(
      JSON.stringify(part).replaceAll(
        /"#\/\$defs\/([^"]+)"/g,
        (_match, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`,
      ),
    ) as Json
  for (const [name, part] of Object.entries($defs)) {
    const { id: _id, ...body } = renamed(part)
    components[names.get(name) ?? name] = body
  }
  return hoist(renamed(rest), io, components)
}

/** A schema that is itself named is referred to, not repeated. */
function hoist(schema: Json, io: 'input' | 'output', components: Record<string, Json>): Json {
  const { id, ...body } = schema
  if (typeof id !== 'string') return schema
  const name = io === 'input' ? `${id}Input` : id
  components[name] = body
  return { $ref: `#/components/schemas/${name}` }
}
