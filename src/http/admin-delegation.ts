import type { FastifyInstance } from 'fastify'
import { minerUser } from '../domain/sessions/session-access.ts'
import type { Reader } from '../store/db/db.ts'
import { findPeople } from '../store/sessions/learn-sessions.ts'
import { findProposal } from '../store/proposals/proposals.ts'

/** Whose a session is never changes, so it need not be asked with every request. */
const mostKnown = 10_000

/**
 * What the daemon itself proposes belongs to the person whose runs it was found in, who may be an agent nobody sits
 * at. An operator may therefore look at it and decide on it in that person's name; receipts say who it was.
 */
export function registerAdminDelegation(
  app: FastifyInstance,
  read: <T>(work: (reader: Reader) => T) => T,
): void {
  const known = new Map<string, string>()
  const reviewerOf = ({ sessionId, proposalId }: Named): string => {
    const id = proposalId ?? sessionId
    if (id === undefined) return ''
    const before = known.get(id)
    if (before !== undefined) return before
    const person = read((reader) => findReviewer(reader, { sessionId, proposalId }) ?? null)
    if (person === null) return ''
    if (known.size >= mostKnown) known.clear()
    known.set(id, person)
    return person
  }
  app.addHook('preHandler', (request, _reply, done) => {
    const { caller, params } = request
    if (caller?.privilege === 'admin' && request.url.startsWith('/api/learn/')) {
      const person = reviewerOf(params as Named)
      if (person !== '' && person !== caller.user_id) {
        request.caller = { ...caller, user_id: person, by: caller.user_id }
      }
    }
    done()
  })
}

interface Named {
  readonly sessionId?: string | undefined
  readonly proposalId?: string | undefined
}

/** Who decides on a session the daemon made, by its id or its proposal's; empty for a session of somebody's own. */
function findReviewer(reader: Reader, { sessionId, proposalId }: Named): string | undefined {
  const id =
    proposalId === undefined ? sessionId : findProposal(reader, proposalId)?.learn_session_id
  const people = id === undefined ? undefined : findPeople(reader, id)
  return people?.owner_user_id === minerUser ? people.reviewer_user_id : people && ''
}
