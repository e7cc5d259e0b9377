import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Privilege } from '@apprentice/contracts/base/route.ts'
import { Failure } from '../failure/failure.ts'
import type { Access, Caller } from './access.ts'
import type { TokenBuckets } from './token-buckets.ts'

export const COOKIE_NAME = 'apprentice_login'

export interface GuardDeps {
  readonly access: Access
  readonly buckets: TokenBuckets
  readonly clock: () => Date
  /** Hostnames this daemon answers for. Any other may be a rebound DNS name. */
  readonly hosts: ReadonlySet<string>
  readonly isStopping: () => boolean
}

const RANK: Readonly<Record<Privilege, number>> = { open: 0, read: 1, write: 2, admin: 3 }
const SAFE_CORRELATION_ID = /^[A-Za-z0-9._:/+=-]{1,200}$/

/** The correlation id sent by the client, if it has a safe form. */
export function readCorrelationId(headers: FastifyRequest['raw']['headers']): string | undefined {
  const sent = headers['x-correlation-id']
  return typeof sent === 'string' && SAFE_CORRELATION_ID.test(sent) ? sent : undefined
}

/** How often requests and streams of expired logins are ended. */
const EXPIRY_INTERVAL_MS = 60_000

/** Checks host, token, origin, rate and privilege of each request before its contract validates it. */
export function registerRequestGuards(app: FastifyInstance, deps: GuardDeps): void {
  registerConnectionClose(app, deps)
  registerLoginExpiry(app, deps)
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.setHeader('x-correlation-id', request.id)
    void reply.headers(FIXED_HEADERS)
    try {
      admitRequest(request, deps)
      if (request.caller !== undefined) deps.access.trackRequest(request.caller, reply.raw)
      done()
    } catch (error) {
      if (error instanceof Failure && error.code === 'RATE_LIMITED') {
        void reply.header('retry-after', String(error.details?.['retry_after_s']))
      }
      done(error as Error)
    }
  })
}

/** Closes the connections of replies that are sent during a stop: kept-alive ones would delay it. */
function registerConnectionClose(app: FastifyInstance, { isStopping }: GuardDeps): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping()) void reply.header('connection', 'close')
    done(null, payload)
  })
}

function registerLoginExpiry(app: FastifyInstance, { access }: GuardDeps): void {
  const timer = setInterval(() => access.reload(), EXPIRY_INTERVAL_MS).unref()
  app.addHook('preClose', (done) => {
    clearInterval(timer)
    done()
  })
}

const FIXED_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

function admitRequest(request: FastifyRequest, deps: GuardDeps): void {
  const { headers } = request
  if (!deps.hosts.has(parseHostname(headers.host ?? '')) && !isDeviceHost(headers, deps.access)) {
    throw new Failure('HOST_NOT_ALLOWED', 'The daemon does not answer for this host name. Use 127.0.0.1 or localhost.')
  }
  const { contract, privilege } = request.routeOptions.config
  const needs = contract?.privilege ?? privilege ?? 'open'
  if (needs === 'open') return
  if (deps.isStopping()) throw new Failure('SHUTTING_DOWN', 'The daemon is stopping.')
  const caller = identifyCaller(headers, deps.access)
  request.caller = caller
  if (caller.only !== undefined && !(contract !== undefined && caller.only.includes(contract.url))) {
    throw new Failure('FORBIDDEN', 'This token is not valid for this route.')
  }
  if (caller.via === 'cookie' && request.method !== 'GET') assertOwnOrigin(headers)
  const wait = deps.buckets.take(caller.principal, deps.clock().getTime())
  if (wait > 0) {
    throw new Failure('RATE_LIMITED', `Too many requests. Retry after ${wait} s.`, {
      details: { retry_after_s: wait },
    })
  }
  if (RANK[caller.privilege] < RANK[needs]) {
    throw new Failure('FORBIDDEN', `This route needs a token with ${needs} privilege.`, {
      details: { needs, has: caller.privilege },
    })
  }
}

/** Device hosts are on other machines and reach the daemon by any name. Pages of a browser do not have their token. */
function isDeviceHost({ authorization }: FastifyRequest['headers'], access: Access): boolean {
  const token = authorization?.startsWith('Bearer ') === true ? authorization.slice(7) : undefined
  return token !== undefined && access.findByToken(token)?.host_id !== undefined
}

function identifyCaller(headers: FastifyRequest['headers'], access: Access): Caller {
  const { authorization } = headers
  if (authorization !== undefined) {
    const caller = authorization.startsWith('Bearer ') ? access.findByToken(authorization.slice(7)) : undefined
    if (caller !== undefined) return caller
  } else {
    const caller = findCallerByCookie(headers, access)
    if (caller !== undefined) return caller
  }
  if (access.isEmpty)
    throw new Failure('AUTH_UNAVAILABLE', 'No token is configured. Set APPRENTICE_TOKEN and restart the daemon.')
  throw new Failure('UNAUTHENTICATED', 'Send a valid token as `Authorization: Bearer …`.')
}

export function findCallerByCookie(headers: FastifyRequest['headers'], access: Access): Caller | undefined {
  const cookies = headers.cookie?.split(/;\s*/) ?? []
  const own = cookies.find((cookie) => cookie.startsWith(`${COOKIE_NAME}=`))
  return own === undefined ? undefined : access.findByCookie(own.slice(COOKIE_NAME.length + 1))
}

/** Browsers send cookies on their own, so a change with a cookie must come from a page of this daemon. */
function assertOwnOrigin({ origin, host }: FastifyRequest['headers']): void {
  if (origin !== undefined && URL.canParse(origin) && new URL(origin).host === host) return
  throw new Failure('ORIGIN_NOT_ALLOWED', 'A change sent by a browser must come from the dashboard.')
}

const parseHostname = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()
