import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { failures } from '@apprentice/contracts/base/failures.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import { openApiDocument } from '@apprentice/contracts/openapi.ts'
import { formatOpenApi } from '../src/commands/openapi.ts'
import { openApiFile } from '../src/routes/docs.ts'
import { shareDaemon } from './kit/daemon.ts'

const root = join(import.meta.dirname, '..')
const named = allRoutes.map((contract) => [`${contract.method} ${contract.url}`, contract] as const)

test('no two contracts claim the same method and path', () => {
  expect(new Set(named.map(([name]) => name)).size).toBe(named.length)
})

test('the checked-in OpenAPI document is what the contracts say', () => {
  expect(readFileSync(openApiFile, 'utf8') === formatOpenApi(), 'run `npm run openapi`').toBe(true)
})

test('every operation has its own id and every reference resolves', () => {
  const document = openApiDocument('0') as {
    paths: Record<string, Record<string, { operationId: string }>>
    components: { schemas: Record<string, unknown> }
  }
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map((o) => o.operationId),
  )
  expect(new Set(ids).size).toBe(ids.length)
  const wanted = JSON.stringify(document).matchAll(/#\/components\/schemas\/([A-Za-z]+)/g)
  const missing = [...wanted]
    .map((match) => match[1] ?? '')
    .filter((name) => !(name in document.components.schemas))
  expect(missing).toEqual([])
})

test('one name stands for one schema', () => {
  const seen = new Map<string, z.ZodType>()
  const clashes: string[] = []
  for (const [, contract] of named) {
    for (const part of [contract.params, contract.query, contract.body, contract.reply]) {
      const id = z.globalRegistry.get(part)?.id
      if (id !== undefined && seen.has(id) && seen.get(id) !== part) clashes.push(id)
      if (id !== undefined) seen.set(id, part)
    }
  }
  expect(clashes).toEqual([])
})

describe('every route', () => {
  const shared = shareDaemon()

  test.each(named)(
    '%s is mounted, with the privilege its contract asks for',
    async (_name, contract) => {
      const daemon = shared()
      const url = contract.url.replaceAll(/:[A-Za-z]+/g, '00000000-0000-4000-8000-000000000000')
      const reply = await daemon.request({ method: contract.method, url, token: null })
      expect(reply.statusCode === 401).toBe(contract.privilege !== 'open')
      expect(daemon.app.hasRoute({ method: contract.method, url: contract.url })).toBe(true)
    },
  )
})

test("the README's table of failures is the catalogue, no more and no less", () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const rows = [...readme.matchAll(/^\| `([A-Z_0-9]+)` \| (\d{3}) \| (yes|no) \| (.+) \|$/gm)].map(
    (row) => row.slice(1),
  )
  const catalogue = Object.entries(failures).map(([code, { status, retryable, meaning }]) => [
    code,
    String(status),
    retryable ? 'yes' : 'no',
    meaning,
  ])
  expect(rows).toEqual(catalogue)
})
