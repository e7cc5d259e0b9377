import type { FastifyInstance, FastifyRequest } from 'fastify'
import { fillPath } from '@apprentice/contracts/client.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import type { Contract, Privilege } from '@apprentice/contracts/base/route.ts'
import {
  type LegacyAsked,
  type LegacyIds,
  namedAbility,
  namedOrOpenSession,
  noIds,
  proposalInPath,
  sessionInPath,
  sessionOfProposal,
} from '../domain/retired-routes/legacy-ids.ts'
import { Failure } from '../failure/failure.ts'
import type { System } from '../daemon/system.ts'

/** A path that moved. It asks for the privilege its successor asks for. */
export interface RetiredRoute {
  readonly method: Contract['method']
  readonly url: string
  readonly successor: string
  readonly privilege: Privilege
  readonly ids: LegacyIds
}

const sessions = '/api/learn/sessions'
const session = `${sessions}/:sessionId`
const proposals = '/api/learn/proposals'
const teach = '/api/capabilities/teach'
const mining = '/api/learn/mining'
const minedHome = '/api/skills/mining'
const mined = `${minedHome}/proposals`

export const retired: readonly RetiredRoute[] = [
  post(`${teach}/start`, sessions, noIds),
  post(`${teach}/cancel`, `${session}/cancel`, namedOrOpenSession),
  post(`${teach}/finish`, `${session}/stop`, namedOrOpenSession),
  {
    ...post('/api/capabilities/promote', '/api/abilities/:abilityId/promote-shared', namedAbility),
    privilege: 'admin',
  },
  post(`${mined}/:proposalId/questions`, `${session}/answer-questions`, sessionOfProposal),
  post(`${mined}/:proposalId/answers`, `${session}/answer-questions`, sessionOfProposal),
  post(`${mined}/:proposalId/test`, `${proposals}/:proposalId/validate`, proposalInPath),
  post(
    `${mined}/:proposalId/install-experimental`,
    `${proposals}/:proposalId/install`,
    proposalInPath,
  ),
  post(`${mined}/:proposalId/feedback`, `${proposals}/:proposalId/revise`, proposalInPath),
  get(mined, proposals),
  get(`${minedHome}/settings`, `${mining}/settings`),
  { ...post(`${minedHome}/settings`, `${mining}/settings`, noIds), privilege: 'admin' },
  post(`${minedHome}/scan`, `${mining}/scan`, noIds),
  post('/api/learn/session/start', sessions, noIds),
  ...allRoutes.flatMap(singularForms),
]

export function retiredRoutes(app: FastifyInstance, { commands, clock, config }: System): void {
  const sunset = new Date(config.settings.deprecated_routes_sunset_at)
  for (const { method, url, successor, privilege, ids } of retired) {
    app.route({
      method,
      url,
      config: { privilege },
      handler: (request, reply) => {
        void reply.header('deprecation', 'true').header('sunset', sunset.toUTCString())
        if (clock() >= sunset) throw gone(`${method} ${successor}`)
        const asked = legacyAsked(request)
        const found = commands.read((reader) => ids(reader, asked))
        const path = fillPath(successor, { ...asked.params, ...found })
        // 308 and never 301: the client must repeat the method and the body.
        return reply.redirect(path + searchOf(request), 308)
      },
    })
  }
}

function get(url: string, successor: string): RetiredRoute {
  return { method: 'GET', url, successor, privilege: 'read', ids: noIds }
}

function post(url: string, successor: string, ids: LegacyIds): RetiredRoute {
  return { method: 'POST', url, successor, privilege: 'write', ids }
}

/**
 * `/api/learn/session/:id/<verb>` and, for the session under way, `/api/learn/session/<verb>`. The second form
 * of `start` made a session, and stands in the table itself.
 */
function singularForms({ method, url, privilege }: Contract): RetiredRoute[] {
  if (!url.startsWith(`${session}/`)) return []
  const rest = url.slice(session.length)
  const form = { method, successor: url, privilege }
  const withId = { ...form, url: `/api/learn/session/:sessionId${rest}`, ids: sessionInPath }
  const isVerb = /^\/[a-z-]+$/.test(rest) && rest !== '/start'
  return isVerb
    ? [withId, { ...form, url: `/api/learn/session${rest}`, ids: namedOrOpenSession }]
    : [withId]
}

const gone = (successor: string): Failure =>
  new Failure('ROUTE_GONE', `This route is gone; use ${successor}.`, { details: { successor } })

function legacyAsked({ params, query, body, caller }: FastifyRequest): LegacyAsked {
  return {
    // The gate lets nobody through to these routes without one.
    caller: caller?.user_id ?? '',
    params: fieldsOf(params),
    query: fieldsOf(query),
    body: fieldsOf(body),
  }
}

const fieldsOf = (value: unknown): LegacyAsked['body'] =>
  value !== null && typeof value === 'object' ? (value as LegacyAsked['body']) : {}

const searchOf = ({ url }: FastifyRequest): string => new URL(url, 'http://localhost').search
