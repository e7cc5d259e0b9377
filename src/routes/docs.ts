import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { packageRoot } from '../config/paths.ts'

/** The document that is checked in; a test proves it fresh, so nothing is generated at start. */
export const openApiFile = join(packageRoot, 'openapi', 'openapi.json')

/** The API reference, for people and for programs. It shows what exists, not what is stored: no token needed. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  const text = readFileSync(openApiFile, 'utf8')
  const document = JSON.parse(text) as OpenApi
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(text))
  for (const part of parts) app.get(part.url, () => partOf(document, part))
  await app.register(async (scope) => {
    await scope.register(swagger, {
      mode: 'static',
      specification: { document: document as never },
    })
    const urls = parts.map(({ name, url }) => ({ name, url }))
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: pageRules,
      uiConfig: { urls },
    })
  })
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags?: string[] }>>>>
}

interface Part {
  readonly name: string
  readonly url: string
  readonly holds: (tag: string) => boolean
}

const onPhones = new Set(['devices', 'executions', 'recordings', 'recipes'])
const isOnPhones = (tag: string): boolean => onPhones.has(tag) || tag.startsWith('skill')

/** The page draws no more than some 120 paths of one document, without a word about the rest. */
const parts: readonly Part[] = [
  { name: 'Teaching and abilities', url: '/docs/teaching.json', holds: (tag) => !isOnPhones(tag) },
  { name: 'Phones and skills', url: '/docs/phones.json', holds: isOnPhones },
]

function partOf(document: OpenApi, { holds }: Part): OpenApi {
  const paths = Object.entries(document.paths).filter(([, operations]) =>
    Object.values(operations).some(({ tags = [] }) => tags.some(holds)),
  )
  return { ...document, paths: Object.fromEntries(paths) }
}

/** Everything from here and nothing from elsewhere, but for the one style sheet the page's script writes itself. */
const pageRules = {
  'default-src': "'self'",
  'style-src': "'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  'style-src-attr': "'unsafe-inline'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'object-src': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}
