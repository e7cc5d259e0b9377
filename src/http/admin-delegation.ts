import type { FastifyInstance } from 'fastify'
import { isDaemonUser } from '../domain/sessions/session-access.ts'
import type { Reader } from '../store/db/db.ts'
import { findOwnerAndReviewer } from '../store/sessions/learn-sessions.ts'
import { findProposal } from '../store/proposals/proposals.ts'

/** The owner of a session never changes, so it is cached. A full cache is emptied. */
const MAX_CACHED = 10_000

/**
 * A proposal made by the daemon belongs to the user in whose runs it was found, and that user may be an unattended
 * agent. An admin may therefore review it in that user's name. Receipts name the admin.
 */
export function registerAdminDelegation(app: FastifyInstance, read: <T>(work: (reader: Reader) => T) => T): void {
  const cache = new Map<string, string>()
  const readReviewer = ({ sessionId, proposalId }: SubjectIds): string => {
    const id = proposalId ?? sessionId
    if (id === undefined) return ''
    const cached = cache.get(id)
    if (cached !== undefined) return cached
    const person = read((reader) => findReviewer(reader, { sessionId, proposalId }) ?? null)
    if (person === null) return ''
    if (cache.size >= MAX_CACHED) cache.clear()
    cache.set(id, person)
    return person
  }
  app.addHook('preHandler', (request, _reply, done) => {
    const { caller, params } = request
    if (caller?.privilege === 'admin' && request.url.startsWith('/api/learn/')) {
      const person = readReviewer(params as SubjectIds)
      if (person !== '' && person !== caller.user_id) {
        request.caller = { ...caller, user_id: person, by: caller.user_id }
      }
    }
    done()
  })
}

interface SubjectIds {
  readonly sessionId?: string | undefined
  readonly proposalId?: string | undefined
}

/** The reviewer of a session that the daemon made. Empty for a user's own session, undefined for an unknown id. */
function findReviewer(reader: Reader, { sessionId, proposalId }: SubjectIds): string | undefined {
  const id = proposalId === undefined ? sessionId : findProposal(reader, proposalId)?.learn_session_id
  const people = id === undefined ? undefined : findOwnerAndReviewer(reader, id)
  return people !== undefined && isDaemonUser(people.owner_user_id) ? people.reviewer_user_id : people && ''
}
