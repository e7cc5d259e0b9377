import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fillPath } from '@apprentice/contracts/client.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import type { Contract, Privilege } from '@apprentice/contracts/base/route.ts'
import {
  type LegacyRequest,
  type ResolveLegacyIds,
  abilityFromBody,
  namedOrOpenSession,
  noIds,
  proposalFromPath,
  sessionFromPath,
  sessionFromProposal,
} from '../domain/retired-routes/legacy-ids.ts'
import { Failure } from '../failure/failure.ts'
import type { System } from '../daemon/system.ts'

/** A path that has moved. It needs the privilege of its successor. */
export interface RetiredRoute {
  readonly method: Contract['method']
  readonly url: string
  readonly successor: string
  readonly privilege: Privilege
  readonly ids: ResolveLegacyIds
  /** Query parameters that the successor needs and the old route did not have. */
  readonly defaults?: Readonly<Record<string, string>>
}

const SESSIONS = '/api/learn/sessions'
const SESSION = `${SESSIONS}/:sessionId`
const PROPOSALS = '/api/learn/proposals'
const TEACH = '/api/capabilities/teach'
const MINING = '/api/learn/mining'
const MINED_HOME = '/api/skills/mining'
const MINED = `${MINED_HOME}/proposals`

export const retired: readonly RetiredRoute[] = [
  { ...post(`${TEACH}/start`, SESSIONS, noIds), defaults: { entry_mode: 'demonstrating_skill' } },
  post(`${TEACH}/cancel`, `${SESSION}/cancel`, namedOrOpenSession),
  post(`${TEACH}/finish`, `${SESSION}/stop`, namedOrOpenSession),
  {
    ...post('/api/capabilities/promote', '/api/abilities/:abilityId/promote-shared', abilityFromBody),
    privilege: 'admin',
  },
  post(`${MINED}/:proposalId/questions`, `${SESSION}/answer-questions`, sessionFromProposal),
  post(`${MINED}/:proposalId/answers`, `${SESSION}/answer-questions`, sessionFromProposal),
  post(`${MINED}/:proposalId/test`, `${PROPOSALS}/:proposalId/validate`, proposalFromPath),
  post(`${MINED}/:proposalId/install-experimental`, `${PROPOSALS}/:proposalId/install`, proposalFromPath),
  post(`${MINED}/:proposalId/feedback`, `${PROPOSALS}/:proposalId/revise`, proposalFromPath),
  get(MINED, PROPOSALS),
  get(`${MINED_HOME}/settings`, `${MINING}/settings`),
  { ...post(`${MINED_HOME}/settings`, `${MINING}/settings`, noIds), privilege: 'admin' },
  post(`${MINED_HOME}/scan`, `${MINING}/scan`, noIds),
  post('/api/learn/session/start', SESSIONS, noIds),
  ...allRoutes.flatMap(singularForms),
]

export function retiredRoutes(app: FastifyInstance, { commands, clock, config }: System): void {
  const sunset = new Date(config.settings.deprecated_routes_sunset_at)
  for (const { method, url, successor, privilege, ids, defaults } of retired) {
    app.route({
      method,
      url,
      config: { privilege },
      handler: (request, reply) => {
        void reply.header('deprecation', 'true').header('sunset', sunset.toUTCString())
        if (clock() >= sunset) throw routeGone(`${method} ${successor}`)
        const legacy = toLegacyRequest(request)
        const found = commands.read((reader) => ids(reader, legacy))
        const path = fillPath(successor, { ...legacy.params, ...found })
        // 308 and not 301: the client must repeat the method and the body.
        return reply.redirect(path + buildSearch(request, defaults), 308)
      },
    })
  }
}

function get(url: string, successor: string): RetiredRoute {
  return { method: 'GET', url, successor, privilege: 'read', ids: noIds }
}

function post(url: string, successor: string, ids: ResolveLegacyIds): RetiredRoute {
  return { method: 'POST', url, successor, privilege: 'write', ids }
}

/**
 * `/api/learn/session/:id/<verb>` and, for the current session, `/api/learn/session/<verb>`. The second form of
 * `start` created a session and is listed in the table itself.
 */
function singularForms({ method, url, privilege }: Contract): RetiredRoute[] {
  if (!url.startsWith(`${SESSION}/`)) return []
  const rest = url.slice(SESSION.length)
  const form = { method, successor: url, privilege }
  const withId = { ...form, url: `/api/learn/session/:sessionId${rest}`, ids: sessionFromPath }
  const isVerb = /^\/[a-z-]+$/.test(rest) && rest !== '/start'
  return isVerb ? [withId, { ...form, url: `/api/learn/session${rest}`, ids: namedOrOpenSession }] : [withId]
}

const routeGone = (successor: string): Failure =>
  new Failure('ROUTE_GONE', `This route has been removed. Use ${successor}.`, {
    details: { successor },
  })

function toLegacyRequest({ params, query, body, caller }: FastifyRequest): LegacyRequest {
  return {
    // The request guards let no request without a caller through to these routes.
    caller: caller?.user_id ?? '',
    params: toFields(params),
    query: toFields(query),
    body: toFields(body),
  }
}

const toFields = (value: unknown): LegacyRequest['body'] =>
  value !== null && typeof value === 'object' ? (value as LegacyRequest['body']) : {}

function buildSearch({ url }: FastifyRequest, defaults: RetiredRoute['defaults'] = {}): string {
  const target = new URL(url, 'http://localhost')
  for (const [name, value] of Object.entries(defaults)) {
    if (!target.searchParams.has(name)) target.searchParams.set(name, value)
  }
  return target.search
}
