import type { Reader } from '../../store/db.ts'
import type { StoredSession } from '../../store/learn-sessions.ts'
import { type ClusterRow, findClusterOfSession } from '../../store/trace-clusters.ts'
import { minerUser } from '../learn/session-access.ts'

/** The runs a session was made of; undefined for a person's session. */
export const minedCluster = (
  reader: Reader,
  session: Pick<StoredSession, 'learn_session_id' | 'owner_user_id'>,
): ClusterRow | undefined =>
  session.owner_user_id === minerUser
    ? findClusterOfSession(reader, session.learn_session_id)
    : undefined
