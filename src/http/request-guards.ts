import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Privilege } from '@apprentice/contracts/base/route.ts'
import { Failure } from '../failure/failure.ts'
import type { Access, Caller } from './access.ts'
import type { TokenBuckets } from './token-bucket.ts'

export const cookieName = 'apprentice_login'

export interface GateRules {
  readonly access: Access
  readonly buckets: TokenBuckets
  readonly clock: () => Date
  /** Hostnames this daemon answers for; anything else may be a rebound DNS name. */
  readonly hosts: ReadonlySet<string>
  readonly isStopping: () => boolean
}

const rank: Readonly<Record<Privilege, number>> = { open: 0, read: 1, write: 2, admin: 3 }
const safeCorrelationId = /^[A-Za-z0-9._:/+=-]{1,200}$/

/** The correlation id a client sent, if it is fit to be repeated. */
export function correlationIdOf(headers: FastifyRequest['raw']['headers']): string | undefined {
  const sent = headers['x-correlation-id']
  return typeof sent === 'string' && safeCorrelationId.test(sent) ? sent : undefined
}

/** Everything a request must pass before its contract looks at it, cheapest first. */
export function registerRequestGuards(app: FastifyInstance, rules: GateRules): void {
  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.setHeader('x-correlation-id', request.id)
    void reply.headers(fixedHeaders)
    try {
      admit(request, rules)
      done()
    } catch (error) {
      if (error instanceof Failure && error.code === 'RATE_LIMITED') {
        void reply.header('retry-after', String(error.details?.['retry_after_s']))
      }
      done(error as Error)
    }
  })
}

const fixedHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

function admit(request: FastifyRequest, rules: GateRules): void {
  const { headers } = request
  if (!rules.hosts.has(hostnameOf(headers.host ?? ''))) {
    throw new Failure('HOST_NOT_ALLOWED', 'This daemon does not answer for that host.')
  }
  const { contract, privilege } = request.routeOptions.config
  const needs = contract?.privilege ?? privilege ?? 'open'
  if (needs === 'open') return
  if (rules.isStopping()) throw new Failure('SHUTTING_DOWN', 'The daemon is stopping.')
  const caller = identify(headers, rules.access)
  request.caller = caller
  if (caller.only !== undefined && caller.only !== contract?.url) {
    throw new Failure('FORBIDDEN', 'This token is good for one route only.')
  }
  if (caller.via === 'cookie' && request.method !== 'GET') assertOwnOrigin(headers)
  const wait = rules.buckets.take(caller.key, rules.clock().getTime())
  if (wait > 0) {
    throw new Failure('RATE_LIMITED', `Too many requests; wait ${wait} s.`, {
      details: { retry_after_s: wait },
    })
  }
  if (rank[caller.privilege] < rank[needs]) {
    throw new Failure('FORBIDDEN', `This needs ${needs} privilege.`, {
      details: { needs, has: caller.privilege },
    })
  }
}

function identify(headers: FastifyRequest['headers'], access: Access): Caller {
  const { authorization } = headers
  if (authorization !== undefined) {
    const caller = authorization.startsWith('Bearer ')
      ? access.byToken(authorization.slice(7))
      : undefined
    if (caller !== undefined) return caller
  } else {
    const caller = callerByCookie(headers, access)
    if (caller !== undefined) return caller
  }
  if (access.isEmpty) throw new Failure('AUTH_UNAVAILABLE', 'No token is configured.')
  throw new Failure('UNAUTHENTICATED', 'Send a known token as `Authorization: Bearer …`.')
}

export function callerByCookie(
  headers: FastifyRequest['headers'],
  access: Access,
): Caller | undefined {
  const cookies = headers.cookie?.split(/;\s*/) ?? []
  const own = cookies.find((cookie) => cookie.startsWith(`${cookieName}=`))
  return own === undefined ? undefined : access.byCookie(own.slice(cookieName.length + 1))
}

/** A cookie travels by itself, so a change it carries must come from a page of ours. */
function assertOwnOrigin({ origin, host }: FastifyRequest['headers']): void {
  if (origin !== undefined && URL.canParse(origin) && new URL(origin).host === host) return
  throw new Failure(
    'ORIGIN_NOT_ALLOWED',
    'A change from a browser must come from the dashboard itself.',
  )
}

const hostnameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()
