import { expect, test } from 'vitest'
import { buildOpenApiDocument } from '@apprentice/contracts/openapi.ts'

/**
 * The rules of the recommended set of a known linter of OpenAPI documents that this document has violated or could
 * easily violate. They are written out because new versions of the linter do not run on the oldest supported Node.
 */

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, unknown>>
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const document = JSON.parse(JSON.stringify(buildOpenApiDocument('1.0.0'))) as {
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}
const paths = Object.keys(document.paths)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
)

const isParameter = (segment: string): boolean => segment.startsWith('{')

/** A literal segment takes precedence over a parameter, so two paths are ambiguous if each has such a segment. */
function isAmbiguous(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  const kinds = one.map((segment, at) => {
    const counterpart = other[at] ?? ''
    if (isParameter(segment) && isParameter(counterpart)) return 'both'
    if (isParameter(segment)) return 'first'
    if (isParameter(counterpart)) return 'second'
    return segment === counterpart ? 'both' : 'different'
  })
  if (kinds.includes('different')) return false
  const isSame = kinds.every((kind) => kind === 'both')
  return isSame || (kinds.includes('first') && kinds.includes('second'))
}

test('no two paths are ambiguous', () => {
  const split = paths.map((path) => path.split('/'))
  const ambiguous = split.flatMap((one, at) =>
    split
      .slice(at + 1)
      .filter((other) => isAmbiguous(one, other))
      .map((other) => `${one.join('/')} and ${other.join('/')}`),
  )
  expect(ambiguous).toEqual([])
  expect(isAmbiguous(['a', '{x}', 'run'], ['a', 'runs', '{y}'])).toBe(true)
})

test('every required property is defined', () => {
  const missing: string[] = []
  const visit = (value: Json, where: string): void => {
    if (value === null || typeof value !== 'object') return
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) visit(item as Json, `${where}/${at}`)
      return
    }
    const { required, properties } = value as { required?: Json; properties?: Json }
    if (Array.isArray(required)) {
      const known = Object.keys((properties ?? {}) as object)
      missing.push(
        ...required.filter((name) => !known.includes(String(name))).map((name) => `${where} ${String(name)}`),
      )
    }
    for (const [key, inner] of Object.entries(value)) visit(inner, `${where}/${key}`)
  }
  visit(document.components.schemas, 'schemas')
  visit(document.paths as unknown as Json, 'paths')
  expect(missing).toEqual([])
})

test('every operation has its own id, a summary, its path parameters, a success and a failure', () => {
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  const incomplete = operations.filter(({ path, operation }) => {
    const named = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    const given = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)
    const statuses = Object.keys(operation.responses)
    const hasParameters = named.size === given.length && given.every((name) => named.has(name))
    const hasReplies =
      statuses.some((status) => /^[123]/.test(status)) && statuses.some((status) => status.startsWith('4'))
    return operation.summary === '' || !hasParameters || !hasReplies
  })
  expect(incomplete.map(({ name }) => name)).toEqual([])
})

test('every component is used, and the document names a server', () => {
  const text = JSON.stringify(document)
  const unused = Object.keys(document.components.schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  )
  expect(unused).toEqual([])
  expect(document.servers.map(({ url }) => url)).toEqual(['http://127.0.0.1:4870'])
})
