import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { EVENT_KINDS } from '@apprentice/contracts/base/events.ts'
import { Failure } from '../failure/failure.ts'
import { findCallerByCookie } from '../http/request-guards.ts'
import { packageRoot } from '../config/paths.ts'
import type { System } from '../daemon/system.ts'

interface Asset {
  readonly type: string
  readonly body: Buffer
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
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The files of the login page. All others need a login. */
const PUBLIC_ASSETS = new Set(['style.css', 'icon.svg'])

/** Serves the dashboard. Its files are read once at start; any other path is not found. */
export function dashboardRoutes(app: FastifyInstance, { access }: System): void {
  const assets = readAssets(join(packageRoot, 'src', 'dashboard'))
  assets.set('event-kinds.js', { type: MEDIA_TYPES['.js'] ?? '', body: eventKindsModule() })

  app.get('/', (request, reply) => {
    const loggedIn = findCallerByCookie(request.headers, access) !== undefined
    return send(reply.code(loggedIn ? 200 : 401), assets.get(loggedIn ? 'index.html' : 'login.html'))
  })

  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const name = request.params['*']
    if (!PUBLIC_ASSETS.has(name) && findCallerByCookie(request.headers, access) === undefined) {
      throw new Failure('UNAUTHENTICATED', 'Log in first. Get a login link with `apprentice token login`.')
    }
    return send(reply, assets.get(name))
  })
}

function send(reply: FastifyReply, asset: Asset | undefined): FastifyReply {
  if (asset === undefined) throw new Failure('NOT_FOUND', 'There is no such file.')
  return reply.type(asset.type).header('content-security-policy', CONTENT_SECURITY_POLICY).send(asset.body)
}

function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const found = names.flatMap((name): [string, Asset][] => {
    const type = MEDIA_TYPES[extname(name)]
    const asset = type === undefined ? undefined : { type, body: readFileSync(join(folder, name)) }
    return asset === undefined ? [] : [[name.replaceAll('\\', '/'), asset]]
  })
  return new Map(found)
}

/** Lists the delivered kinds of events, because EventSource needs a listener per kind. */
function eventKindsModule(): Buffer {
  const kinds = Object.entries(EVENT_KINDS).flatMap(([kind, { delivered }]) => (delivered ? kind : []))
  return Buffer.from(`export const eventKinds = ${JSON.stringify(kinds)}\n`)
}
