import { z } from 'zod'
import { FAILURES } from './base/failures.ts'
import { allRoutes } from './index.ts'
import { type AnyContract, listCommonFailures, FailureReply } from './base/route.ts'

type Json = Record<string, unknown>

/** Builds the OpenAPI 3.1 document of all contracts. The result is deterministic. */
export function buildOpenApiDocument(version: string): Json {
  const components: Record<string, Json> = {}
  const paths: Record<string, Record<string, Json>> = {}
  for (const contract of sortRoutes(allRoutes)) {
    const path = contract.url.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    const operations = (paths[path] ??= {})
    operations[contract.method.toLowerCase()] = buildOperation(contract, components)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Apprentice',
      version,
      description: 'The API of Apprentice: people demonstrate workflows on an Android phone, and agents run them.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:4870', description: 'The default address of the daemon' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** Sorts routes, so the document does not depend on the order of exports. */
const sortRoutes = (contracts: readonly AnyContract[]): AnyContract[] =>
  contracts.toSorted((a, b) => (`${a.url} ${a.method}` < `${b.url} ${b.method}` ? -1 : 1))

function describeUse({ privilege, waits }: AnyContract): string {
  const needed = privilege === 'open' ? 'Requires no token.' : `Requires ${privilege} privilege.`
  if (waits === undefined) return needed
  return `${needed} May wait for ${waits.for}, at most ${waits.at_most_ms / 1000} seconds besides the time the request names.`
}

function buildOperation(contract: AnyContract, components: Record<string, Json>): Json {
  const { method, tag, summary, privilege, status, reply } = contract
  const success = {
    description: summary,
    content: { [getMediaType(contract)]: { schema: toSchema(reply, 'output', components) } },
  }
  return {
    operationId: buildOperationId(contract),
    tags: [tag],
    summary,
    description: describeUse(contract),
    ...(privilege === 'open' ? { security: [] } : {}),
    parameters: [
      ...listParameters(contract.params, 'path', components),
      ...listParameters(contract.query, 'query', components),
    ],
    ...(method === 'GET' || method === 'DELETE'
      ? {}
      : { requestBody: { content: buildRequestBody(contract, components) } }),
    responses: {
      [status]: success,
      ...(contract.pending_status === undefined ? {} : { [contract.pending_status]: success }),
      ...buildFailureResponses(contract, components),
    },
  }
}

const buildRequestBody = ({ form, body }: AnyContract, components: Record<string, Json>): Json =>
  form === undefined
    ? jsonContent(toSchema(body, 'input', components))
    : { 'multipart/form-data': { schema: toSchema(form, 'input', components) } }

const getMediaType = (contract: AnyContract): string =>
  contract.stream ? 'text/event-stream' : (contract.media ?? 'application/json')

function buildOperationId({ method, url }: AnyContract): string {
  const words = url.split(/[^A-Za-z]+/).filter((word) => word !== '' && word !== 'api')
  return [method.toLowerCase(), ...words].map((word, at) => (at === 0 ? word : capitalize(word))).join('')
}

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function listParameters(fields: z.ZodType, place: 'path' | 'query', components: Record<string, Json>): Json[] {
  const schema = toSchema(fields, 'input', components)
  const properties = (schema['properties'] ?? {}) as Record<string, Json>
  const required = (schema['required'] ?? []) as string[]
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function buildFailureResponses(contract: AnyContract, components: Record<string, Json>): Record<string, Json> {
  const codes = [...new Set([...contract.fails, ...listCommonFailures(contract)])]
  const statuses = [...new Set(codes.map((code) => FAILURES[code].status))].toSorted((a, b) => a - b)
  const content = jsonContent(toSchema(FailureReply, 'output', components))
  return Object.fromEntries(
    statuses.map((status) => {
      const sameStatus = codes.filter((code) => FAILURES[code].status === status)
      const lines = sameStatus.map((code) => `\`${code}\`: ${FAILURES[code].meaning}`)
      return [String(status), { description: lines.join('\n\n'), content }]
    }),
  )
}

const jsonContent = (schema: Json): Json => ({ 'application/json': { schema } })

/** Converts a schema. Named schemas become components; the request variant is named `…Input`. */
function toSchema(type: z.ZodType, io: 'input' | 'output', components: Record<string, Json>): Json {
  const { $schema: _, ...schema } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    // The format implies the pattern.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }) as Json
  const { $defs = {}, ...rest } = schema as { $defs?: Record<string, Json> }
  const names = new Map<string, string>()
  for (const name of Object.keys($defs)) names.set(name, io === 'input' ? `${name}Input` : name)
  const renameRefs = (part: Json): Json =>
    JSON.parse(
      JSON.stringify(part).replaceAll(
        /"#\/\$defs\/([^"]+)"/g,
        (_match, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`,
      ),
    ) as Json
  for (const [name, part] of Object.entries($defs)) {
    const { id: _id, ...body } = renameRefs(part)
    components[names.get(name) ?? name] = body
  }
  return hoistNamedSchema(renameRefs(rest), io, components)
}

/** Replaces a named schema by a reference to its component. */
function hoistNamedSchema(schema: Json, io: 'input' | 'output', components: Record<string, Json>): Json {
  const { id, ...body } = schema
  if (typeof id !== 'string') return schema
  const name = io === 'input' ? `${id}Input` : id
  components[name] = body
  return { $ref: `#/components/schemas/${name}` }
}
