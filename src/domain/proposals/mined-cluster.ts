import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { type ClusterRow, findClusterOfSession } from '../../store/mining/trace-clusters.ts'
import { minerUser } from '../sessions/session-access.ts'

/** The runs a session was made of; undefined for a person's session. */
export const minedCluster = (
  reader: Reader,
  session: Pick<StoredSession, 'learn_session_id' | 'owner_user_id'>,
): ClusterRow | undefined =>
  session.owner_user_id === minerUser
    ? findClusterOfSession(reader, session.learn_session_id)
    : undefined
