import type { Reader } from '../../store/db/db.ts'
import type { StoredSession } from '../../store/sessions/learn-sessions.ts'
import { type ClusterRow, findClusterBySession } from '../../store/mining/trace-clusters.ts'
import { MINER_USER_ID } from '../sessions/session-access.ts'

/** The cluster a mined session was created from; undefined for other sessions. */
export const findMinedCluster = (
  reader: Reader,
  session: Pick<StoredSession, 'learn_session_id' | 'owner_user_id'>,
): ClusterRow | undefined =>
  session.owner_user_id === MINER_USER_ID ? findClusterBySession(reader, session.learn_session_id) : undefined
