import type { Reader } from '../../store/db/db.ts'
import { findLearnSession, type StoredSession } from '../../store/sessions/learn-sessions.ts'
import { isTheirs } from './session-access.ts'
import { sessionNotFound } from './session-moves.ts'

/** The user's session for reading, or the same answer an unknown id gets. */
export function readOwnSession(reader: Reader, sessionId: string, userId: string): StoredSession {
  const session = findLearnSession(reader, sessionId)
  if (session === undefined || !isTheirs(session, userId)) throw sessionNotFound(sessionId)
  return session
}
