import type { Reader } from '../../store/db.ts'
import { findLearnSession, type StoredSession } from '../../store/learn-sessions.ts'
import { sessionNotFound } from './session-moves.ts'

/** The user's session for reading, or the same answer an unknown id gets. */
export function readOwnSession(reader: Reader, sessionId: string, userId: string): StoredSession {
  const session = findLearnSession(reader, sessionId)
  if (session === undefined || session.owner_user_id !== userId) throw sessionNotFound(sessionId)
  return session
}
