import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { packageRoot } from '../config/paths.ts'
import { Failure } from '../failure/failure.ts'

/** The document in the repository. A test keeps it up to date, so nothing is generated at start. */
export const openApiFile = join(packageRoot, 'openapi', 'openapi.json')

/** Serves the API reference. It contains no data, so it needs no token. */
export function docsRoutes(app: FastifyInstance): void {
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(readDocument().text))
  for (const view of DOCUMENTS) app.get(view.url, () => selectPaths(readDocument().document, view))
  let pages: Promise<FastifyInstance> | undefined
  for (const url of ['/docs', '/docs/*']) {
    app.get(url, async (request, reply) => sendPage(await (pages ??= openPages()), request, reply))
  }
  app.addHook('onClose', async () => (await pages)?.close())
}

/** Opened by the first request. Loading the pages takes a tenth of the daemon's start, and most daemons show none. */
async function openPages(): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ])
  const pages = Fastify()
  await pages.register(swagger, {
    mode: 'static',
    specification: { document: readDocument().document as never },
  })
  const urls = DOCUMENTS.map(({ name, url }) => ({ name, url }))
  await pages.register(swaggerUi, { routePrefix: '/docs', staticCSP: PAGE_POLICY, uiConfig: { urls } })
  return pages
}

/** The headers that the daemon sets on every reply stay. */
async function sendPage(pages: FastifyInstance, { url }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const page = await pages.inject({ method: 'GET', url })
  if (page.statusCode === 404) throw new Failure('NOT_FOUND', 'There is no such page. Open /docs.')
  for (const name of ['content-type', 'content-security-policy', 'location']) {
    const value = page.headers[name]
    if (value !== undefined) void reply.header(name, value)
  }
  return reply.code(page.statusCode).send(page.rawPayload)
}

let read: { readonly text: string; readonly document: OpenApi } | undefined

/** Reads and parses the document once per process. */
function readDocument(): NonNullable<typeof read> {
  if (read === undefined) {
    const text = readFileSync(openApiFile, 'utf8')
    read = { text, document: JSON.parse(text) as OpenApi }
  }
  return read
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags?: string[] }>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

interface DocumentView {
  readonly name: string
  readonly url: string
  readonly holds: (tag: string) => boolean
}

const PHONE_TAGS = new Set(['devices', 'executions', 'recordings', 'recipes'])
const OPERATION_TAGS = new Set([
  'access',
  'categories',
  'configuration',
  'connectors',
  'events',
  'health',
  'policy',
  'projects',
])
const isPhoneTag = (tag: string): boolean => PHONE_TAGS.has(tag) || tag.startsWith('skill')
const isOperationTag = (tag: string): boolean => OPERATION_TAGS.has(tag)

/** Swagger UI silently omits paths beyond about 120 per document, so it gets several documents. */
const DOCUMENTS: readonly DocumentView[] = [
  {
    name: 'Teaching and abilities',
    url: '/docs/teaching.json',
    holds: (tag) => !isPhoneTag(tag) && !isOperationTag(tag),
  },
  { name: 'Phones and skills', url: '/docs/phones.json', holds: isPhoneTag },
  { name: 'Connectors and operation', url: '/docs/operation.json', holds: isOperationTag },
]

function selectPaths(document: OpenApi, { holds }: DocumentView): OpenApi {
  const paths = Object.entries(document.paths).filter(([, operations]) =>
    Object.values(operations).some(({ tags = [] }) => tags.some(holds)),
  )
  const schemas = selectSchemas(document, JSON.stringify(paths))
  return { ...document, paths: Object.fromEntries(paths), components: { ...document.components, schemas } }
}

/** The schemas that a text refers to, directly or through other schemas. */
function selectSchemas({ components: { schemas } }: OpenApi, text: string): Record<string, unknown> {
  const found = new Set<string>()
  const pending = [text]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [, name = ''] of next.matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue
      found.add(name)
      pending.push(JSON.stringify(schemas[name]) ?? '')
    }
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}

/** All content comes from the daemon, except the one style sheet that the script of the page inserts. */
const PAGE_POLICY = {
  'default-src': "'self'",
  'style-src': "'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  'style-src-attr': "'unsafe-inline'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'object-src': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}
