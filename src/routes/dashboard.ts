import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { eventKinds } from '@apprentice/contracts/base/events.ts'
import { Failure } from '../failure/failure.ts'
import { callerByCookie } from '../http/request-guards.ts'
import { packageRoot } from '../config/paths.ts'
import type { System } from '../daemon/system.ts'

interface Asset {
  readonly type: string
  readonly body: Buffer
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Everything comes from the daemon itself, and nothing is written into the page. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** What the page for strangers needs; the rest is for those who are logged in. */
const forAnybody = new Set(['style.css', 'icon.svg'])

/** The page for people. Its files are read once; a path that is not one of them is not looked for anywhere. */
export function dashboardRoutes(app: FastifyInstance, { access }: System): void {
  const assets = readAssets(join(packageRoot, 'src', 'dashboard'))
  assets.set('event-kinds.js', { type: types['.js'] ?? '', body: eventKindsModule() })

  app.get('/', (request, reply) => {
    const known = callerByCookie(request.headers, access) !== undefined
    return send(reply.code(known ? 200 : 401), assets.get(known ? 'index.html' : 'login.html'))
  })

  app.get<{ Params: { '*': string } }>('/assets/*', (request, reply) => {
    const name = request.params['*']
    if (!forAnybody.has(name) && callerByCookie(request.headers, access) === undefined) {
      throw new Failure('UNAUTHENTICATED', 'Log in to the dashboard first.')
    }
    return send(reply, assets.get(name))
  })
}

function send(reply: FastifyReply, asset: Asset | undefined): FastifyReply {
  if (asset === undefined) throw new Failure('NOT_FOUND', 'There is no such file.')
  return reply.type(asset.type).header('content-security-policy', policy).send(asset.body)
}

function readAssets(folder: string): Map<string, Asset> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const found = names.flatMap((name): [string, Asset][] => {
    const type = types[extname(name)]
    const asset = type === undefined ? undefined : { type, body: readFileSync(join(folder, name)) }
    return asset === undefined ? [] : [[name.replaceAll('\\', '/'), asset]]
  })
  return new Map(found)
}

/** A browser must name each kind of event it wants to hear of. */
function eventKindsModule(): Buffer {
  const heard = Object.entries(eventKinds).flatMap(([kind, { delivered }]) =>
    delivered ? kind : [],
  )
  return Buffer.from(`export const eventKinds = ${JSON.stringify(heard)}\n`)
}
