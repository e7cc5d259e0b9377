import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { FAILURES } from '@apprentice/contracts/base/failures.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { buildOpenApiDocument } from '@apprentice/contracts/openapi.ts'
import { failuresFile, formatFailures, formatOpenApi } from '../src/commands/openapi.ts'
import { openApiFile } from '../src/routes/docs.ts'
import { shareDaemon } from './kit/daemon.ts'

const namedRoutes = allRoutes.map((contract) => [`${contract.method} ${contract.url}`, contract] as const)

test('no two contracts have the same method and path', () => {
  expect(new Set(namedRoutes.map(([name]) => name)).size).toBe(namedRoutes.length)
})

test('openapi.json is generated from the current contracts', () => {
  expect(readFileSync(openApiFile, 'utf8') === formatOpenApi(), 'run `npm run openapi`').toBe(true)
})

test('every operation has its own id and every reference resolves', () => {
  const document = buildOpenApiDocument('0') as {
    paths: Record<string, Record<string, { operationId: string }>>
    components: { schemas: Record<string, unknown> }
  }
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((o) => o.operationId))
  expect(new Set(ids).size).toBe(ids.length)
  const references = JSON.stringify(document).matchAll(/#\/components\/schemas\/([A-Za-z]+)/g)
  const missing = [...references]
    .map((match) => match[1] ?? '')
    .filter((name) => !(name in document.components.schemas))
  expect(missing).toEqual([])
})

test('every control of the pages has a route: they send requests by contracts only', () => {
  const root = join(import.meta.dirname, '..')
  const pages = readdirSync(join(root, 'src', 'dashboard'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.startsWith('api/'),
  )
  expect(pages.filter((file) => file.startsWith('connectors/')).length).toBeGreaterThan(10)
  const direct = /\bfetch\(|XMLHttpRequest|sendBeacon|new EventSource|new WebSocket|["'`]\/(?:api|mcp)\//
  expect(pages.filter((file) => direct.test(readFileSync(join(root, 'src', 'dashboard', file), 'utf8')))).toEqual([])
})

test('a schema name is used for one schema only', () => {
  const seen = new Map<string, z.ZodType>()
  const conflicts: string[] = []
  for (const [, contract] of namedRoutes) {
    for (const part of [contract.params, contract.query, contract.body, contract.reply]) {
      const id = z.globalRegistry.get(part)?.id
      if (id !== undefined && seen.has(id) && seen.get(id) !== part) conflicts.push(id)
      if (id !== undefined) seen.set(id, part)
    }
  }
  expect(conflicts).toEqual([])
})

describe('every route', () => {
  const shared = shareDaemon()

  test.each(namedRoutes)('%s is mounted and requires the privilege of its contract', async (_name, contract) => {
    const daemon = shared()
    const url = contract.url.replaceAll(/:[A-Za-z]+/g, '00000000-0000-4000-8000-000000000000')
    const reply = await daemon.request({ method: contract.method, url, token: null })
    expect(reply.statusCode === 401).toBe(contract.privilege !== 'open')
    expect(daemon.app.hasRoute({ method: contract.method, url: contract.url })).toBe(true)
  })
})

test('failures.md contains exactly the failure catalogue, in order', () => {
  const document = readFileSync(failuresFile, 'utf8')
  expect(document === formatFailures(), 'run `npm run openapi`').toBe(true)
  const rows = [...document.matchAll(/^\| `([A-Z_0-9]+)` \| (\d{3}) \| (yes|no) \| (.+) \|$/gm)].map((row) =>
    row.slice(1),
  )
  const catalogue = Object.entries(FAILURES).map(([code, { status, retryable, meaning }]) => [
    code,
    String(status),
    retryable ? 'yes' : 'no',
    meaning,
  ])
  expect(rows).toEqual(catalogue)
})
