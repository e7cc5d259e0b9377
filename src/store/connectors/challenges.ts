import { columns, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorChallenges = defineTable(
  'connector_challenges',
  {
    ...columns(text(), 'challenge_id', 'server_id', 'auth_profile_id'),
    kind: text<'reauth' | 'incremental_consent'>(),
    scopes: list(),
    status: text<'open' | 'approved' | 'denied' | 'retried' | 'expired' | 'resolved'>(),
    ...columns(text(), 'created_at', 'expires_at', 'updated_at'),
  },
  { key: ['challenge_id'] },
)

export type ChallengeRow = RowOf<typeof connectorChallenges>

export function upsertChallenge(tx: Tx, row: ChallengeRow): void {
  connectorChallenges.upsert(tx, row)
}

export function findChallenge(reader: Reader, id: string): ChallengeRow | undefined {
  return connectorChallenges.find(reader, id)
}

/** Challenges that a person has not settled by signing in, oldest first. */
export function listOpenChallenges(reader: Reader, serverId?: string): ChallengeRow[] {
  return sql(
    reader,
    `SELECT * FROM connector_challenges
      WHERE status IN ('open', 'approved') AND (@server_id IS NULL OR server_id = @server_id)
      ORDER BY created_at, challenge_id`,
  )
    .all({ server_id: serverId ?? null })
    .map(connectorChallenges.decode)
}

export function deleteChallengesOfServer(tx: Tx, serverId: string): void {
  sql(tx, 'DELETE FROM connector_challenges WHERE server_id = ?').run(serverId)
}
