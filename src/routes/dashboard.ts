import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../failure/failure.ts'
import { findCallerByCookie } from '../http/request-guards.ts'
import { packageRoot } from '../config/paths.ts'
import type { System } from '../daemon/system.ts'

type Encoding = 'br' | 'gzip'

interface Asset {
  readonly type: string
  readonly body: Buffer
  readonly encoded: Readonly<Partial<Record<Encoding, Buffer>>>
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** All content comes from the daemon itself. Inline scripts and styles are not allowed. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The first parts of the paths of pages. The program in the browser chooses the view. */
const PAGES = new Set([
  '',
  'connectors',
  'devices',
  'documents',
  'import',
  'learn',
  'receipts',
  'registry',
  'runs',
  'scenes',
  'settings',
  'skills',
])
/** The files in `assets` have names with a hash of their content. */
const FOREVER = 'public, max-age=31536000, immutable'

let builtAssets: ReadonlyMap<string, Asset> | undefined

/** Serves the built dashboard. Its files are read once per process. They hold no data, so they need no login. */
export function dashboardRoutes(app: FastifyInstance, { access }: System): void {
  const assets = (builtAssets ??= readAssets(join(packageRoot, 'dist', 'dashboard')))
  const sendPage = (request: FastifyRequest, reply: FastifyReply, status = 200): FastifyReply => {
    const isLoggedIn = findCallerByCookie(request.headers, access) !== undefined
    const page = assets.get(isLoggedIn ? 'index.html' : 'login.html')
    return send(request, reply.code(isLoggedIn ? status : 401).header('cache-control', 'no-cache'), page)
  }

  for (const name of PAGES) {
    app.get(`/${name}`, (request, reply) => sendPage(request, reply))
    if (name !== '') app.get(`/${name}/*`, (request, reply) => sendPage(request, reply))
  }
  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) =>
    send(request, reply.header('cache-control', FOREVER), assets.get(`assets/${request.params['*']}`)),
  )
  app.get('/icon.svg', (request, reply) => send(request, reply, assets.get('icon.svg')))
  app.decorate('sendPage', sendPage)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends the page of the dashboard, or the login page without a login. */
    sendPage: (request: FastifyRequest, reply: FastifyReply, status?: number) => FastifyReply
  }
}

function send(request: FastifyRequest, reply: FastifyReply, asset: Asset | undefined): FastifyReply {
  if (asset === undefined) throw new Failure('NOT_FOUND', 'There is no such file.')
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (['br', 'gzip'] as const).find(
    (name) => accepted.includes(name) && asset.encoded[name] !== undefined,
  )
  const body = (encoding === undefined ? undefined : asset.encoded[encoding]) ?? asset.body
  if (encoding !== undefined) void reply.header('content-encoding', encoding)
  return reply
    .type(asset.type)
    .header('vary', 'accept-encoding')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .send(body)
}

/** Without a build there are none, and every page is not found. */
function readAssets(folder: string): Map<string, Asset> {
  if (!existsSync(folder)) return new Map()
  const names = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  const found = [...names].flatMap((name): [string, Asset][] => {
    const type = MEDIA_TYPES[extname(name)]
    if (type === undefined) return []
    const read = (suffix: string): Buffer | undefined =>
      names.has(`${name}${suffix}`) ? readFileSync(join(folder, `${name}${suffix}`)) : undefined
    const br = read('.br')
    const gzip = read('.gz')
    const encoded = { ...(br !== undefined && { br }), ...(gzip !== undefined && { gzip }) }
    return [[name.replaceAll('\\', '/'), { type, body: readFileSync(join(folder, name)), encoded }]]
  })
  return new Map(found)
}
