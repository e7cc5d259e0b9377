import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const PROSE = new Set(['description', 'summary', 'title', 'example', 'examples'])
/** Maps whose keys are names from the API, not keywords of the document. */
const NAME_MAPS = new Set(['properties', 'patternProperties', 'paths', 'responses', 'schemas'])

const documentFile = join(import.meta.dirname, '..', 'openapi', 'openapi.json')

/**
 * One line for each operation and schema with a hash of its structure: methods, parameters, schemas, codes, without
 * prose. A deliberate change of the API is recorded with `npx vitest run --config test/vitest.config.ts
 * test/openapi-structure.test.ts -u`; the diff of the recorded file then shows which operations changed.
 */
test('the API has the recorded structure', async () => {
  const document = JSON.parse(readFileSync(documentFile, 'utf8')) as {
    paths: Record<string, Record<string, Json>>
    components?: Record<string, Record<string, Json>>
  }
  const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => `${method.toUpperCase()} ${url} ${hashStructure(operation)}`),
  )
  const components = Object.entries(document.components ?? {}).flatMap(([kind, members]) =>
    Object.entries(members).map(([name, member]) => `${kind} ${name} ${hashStructure(member)}`),
  )
  const lines = [...operations, ...components].toSorted()
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('fixtures/openapi-structure.txt')
})

test('a hash ignores prose and notices structure', () => {
  const field = { type: 'string', description: 'a name' }
  const schema = { type: 'object', properties: { description: field } }
  const other = { type: 'object', properties: { description: { ...field, description: 'x' } } }
  expect(hashStructure(schema)).toBe(hashStructure(other))
  expect(hashStructure(schema)).not.toBe(hashStructure({ type: 'object', properties: {} }))
})

function hashStructure(value: Json): string {
  return hash('sha256', JSON.stringify(withoutProse(value, false))).slice(0, 16)
}

function withoutProse(value: Json, namesKeys: boolean): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutProse(item, false))
  if (value === null || typeof value !== 'object') return value
  const entries = Object.entries(value as Record<string, Json>)
    .filter(([key]) => namesKeys || !PROSE.has(key))
    .map(([key, inner]) => [key, withoutProse(inner, !namesKeys && NAME_MAPS.has(key))] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries)
}
