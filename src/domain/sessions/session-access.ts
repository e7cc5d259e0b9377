import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'

/** Owner of the sessions that skill mining creates. Nobody can log in as this user, and it has no session slot. */
export const MINER_USER_ID = 'system:miner'

/** Owner of the sessions that propose repairs of abilities, as for mining. */
export const REPAIR_USER_ID = 'system:repair'

/** Whether the daemon itself opened the session. A user reviews it. */
export const isDaemonUser = (userId: string): boolean => userId === MINER_USER_ID || userId === REPAIR_USER_ID

/** True for the owner, and for the reviewer of a session that the daemon created from that user's executions. */
export const canAccessSession = (
  session: Pick<StoredSession, 'owner_user_id' | 'reviewer_user_id'>,
  userId: string,
): boolean => session.owner_user_id === userId || session.reviewer_user_id === userId

/** The user a session was made for. */
export const getSessionUser = ({
  owner_user_id,
  reviewer_user_id,
}: Pick<StoredSession, 'owner_user_id' | 'reviewer_user_id'>): string => reviewer_user_id ?? owner_user_id

/** Throws the same failure for an unknown id and for a session of another user. */
export function readOwnSession(reader: Reader, sessionId: string, userId: string): StoredSession {
  const session = findLearnSession(reader, sessionId)
  if (session === undefined || !canAccessSession(session, userId)) {
    throw new Failure('LEARN_SESSION_NOT_FOUND', `No learn session ${sessionId}.`)
  }
  return session
}
