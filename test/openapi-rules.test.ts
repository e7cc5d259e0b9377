import { expect, test } from 'vitest'
import { z } from 'zod'
import { FAILURES } from '@apprentice/contracts/base/failures.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { buildOpenApiDocument } from '@apprentice/contracts/openapi.ts'

/**
 * The rules of the recommended set of Redocly that this document has violated or could violate. They are written out
 * because new versions of the linter do not run on the oldest supported Node.
 */

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly tags?: readonly string[]
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const document = JSON.parse(JSON.stringify(buildOpenApiDocument('1.0.0'))) as {
  readonly info: { readonly license?: { readonly url?: string; readonly identifier?: string } }
  readonly security?: Operation['security']
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>
    readonly securitySchemes: Readonly<Record<string, Json>>
  }
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

test('a route whose reply may come late says what it waits for, or takes a time', () => {
  const late = allRoutes.filter(({ fails }) => fails.some((code) => [502, 504].includes(FAILURES[code].status)))
  expect(late.length).toBeGreaterThan(10)
  const silent = late.filter(
    ({ body, waits }) => waits === undefined && !/_ms"/.test(JSON.stringify(z.toJSONSchema(body, { io: 'input' }))),
  )
  expect(silent.map(({ method, url }) => `${method} ${url}`)).toEqual([])
  const search = operations.find(({ name }) => name.endsWith('/find-element'))
  expect(search?.operation.description).toContain('May wait for the device, at most 21 seconds')
})

test('every component is used, and the document names a server', () => {
  const text = JSON.stringify(document)
  const unused = Object.keys(document.components.schemas).filter(
    (name) => !text.includes(`"#/components/schemas/${name}"`),
  )
  expect(unused).toEqual([])
  expect(document.servers.map(({ url }) => url)).toEqual(['http://127.0.0.1:4870'])
})

/** All objects of the document, with the place of each. */
function* listObjects(value: Json, where = ''): Generator<{ where: string; found: { readonly [key: string]: Json } }> {
  if (value === null || typeof value !== 'object') return
  if (!Array.isArray(value)) yield { where, found: value as { readonly [key: string]: Json } }
  for (const [key, inner] of Object.entries(value)) yield* listObjects(inner as Json, `${where}/${key}`)
}
const objects = [...listObjects(document as unknown as Json)]

const TYPE_CHECKS: Readonly<Record<string, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
}

test('every value of an enumeration has the type of its schema and occurs once', () => {
  const wrong = objects.filter(({ found: { type, enum: values } }) => {
    if (!Array.isArray(values)) return false
    const fits = typeof type === 'string' ? TYPE_CHECKS[type] : undefined
    return new Set(values).size < values.length || (fits !== undefined && !values.every((value) => fits(value as Json)))
  })
  expect(wrong.map(({ where }) => where)).toEqual([])
})

test('no schema mixes the keywords of objects and arrays with other types, and no range has two kinds of bounds', () => {
  const wrong = objects.filter(({ where, found }) => {
    if (/\/(?:properties|schemas|paths|responses)$/.test(where)) return false
    const isMixed =
      (found['type'] === 'object' && found['items'] !== undefined) ||
      (found['type'] === 'array' && found['properties'] !== undefined)
    const hasBoth = (plain: string, exclusive: string) => plain in found && exclusive in found
    return isMixed || hasBoth('minimum', 'exclusiveMinimum') || hasBoth('maximum', 'exclusiveMaximum')
  })
  expect(wrong.map(({ where }) => where)).toEqual([])
})

test('every reference leads to a component', () => {
  const names = new Set(Object.keys(document.components.schemas))
  const dangling = objects.filter(({ found: { $ref: ref } }) => {
    if (typeof ref !== 'string') return false
    const name = /^#\/components\/schemas\/(.+)$/.exec(ref)?.[1]
    return name === undefined || !names.has(name)
  })
  expect(dangling.map(({ where }) => where)).toEqual([])
  expect([...names].filter((name) => !/^[\w.-]+$/.test(name))).toEqual([])
})

test('every operation says how it is secured, ids and paths are plain, and parameters occur once', () => {
  const known = Object.keys(document.components.securitySchemes)
  const wrong = operations.filter(({ path, operation }) => {
    const security = operation.security ?? document.security
    const isSecured = security?.every((one) => Object.keys(one).every((name) => known.includes(name))) === true
    const given = operation.parameters.map(({ name, in: place }) => `${place} ${name}`)
    const isPlain = /^[\w.~-]+$/.test(operation.operationId) && !/[?#]|.\/$|\/\//.test(path)
    return !isSecured || !isPlain || new Set(given).size < given.length
  })
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test('the licence has an identifier, the server no closing slash, and every listed tag a description', () => {
  const { license } = document.info
  expect(license?.url ?? license?.identifier).toBeDefined()
  expect(document.servers.filter(({ url }) => /\/$|example\.com/.test(url))).toEqual([])
  const tags = document.tags ?? []
  expect(tags.filter(({ description = '' }) => description === '')).toEqual([])
  expect(new Set(tags.map(({ name }) => name)).size).toBe(tags.length)
})
