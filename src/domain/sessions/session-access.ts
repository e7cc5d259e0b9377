import type { StoredSession } from '../../store/sessions/learn-sessions.ts'

/** Owns the sessions that come of past runs. It is nobody who could be logged in, and has no slot to take. */
export const minerUser = 'system:miner'

/** Is the session this user's: their own, or one the daemon made of their runs for them to decide on? */
export const isTheirs = (
  session: Pick<StoredSession, 'owner_user_id' | 'reviewer_user_id'>,
  userId: string,
): boolean => session.owner_user_id === userId || session.reviewer_user_id === userId

/** The person a session is for. */
export const personOf = ({
  owner_user_id,
  reviewer_user_id,
}: Pick<StoredSession, 'owner_user_id' | 'reviewer_user_id'>): string =>
  reviewer_user_id ?? owner_user_id
