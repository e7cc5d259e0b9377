import { columns, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

/**
 * The states of a sign-in.
 *
 * waiting     a person is on the page of the authorization server   -> exchanging | failed | expired
 * exchanging  the code is exchanged for tokens; a restart goes on    -> done | failed
 * done        final: the tokens are stored
 * failed      final
 * expired     final
 */
export type SignInStatus = 'waiting' | 'exchanging' | 'done' | 'failed' | 'expired'

export const connectorSignIns = defineTable(
  'connector_sign_ins',
  {
    ...columns(text(), 'sign_in_id', 'state_hash', 'server_id', 'auth_profile_id', 'user_id', 'redirect_uri'),
    scopes: list(),
    status: text<SignInStatus>(),
    ...columns(text(), 'correlation_id', 'created_at', 'expires_at', 'updated_at'),
  },
  { key: ['sign_in_id'] },
)

export type SignInRow = RowOf<typeof connectorSignIns>

export function insertSignIn(tx: Tx, row: SignInRow): void {
  connectorSignIns.insert(tx, row)
}

export function findSignIn(reader: Reader, id: string): SignInRow | undefined {
  return connectorSignIns.find(reader, id)
}

export function findSignInByState(reader: Reader, stateHash: string): SignInRow | undefined {
  return connectorSignIns.decodeOptional(
    sql(reader, 'SELECT * FROM connector_sign_ins WHERE state_hash = ?').get(stateHash),
  )
}

/** Sign-ins that have not ended, oldest first. */
export function listOpenSignIns(reader: Reader): SignInRow[] {
  return sql(
    reader,
    `SELECT * FROM connector_sign_ins WHERE status IN ('waiting', 'exchanging') ORDER BY created_at, sign_in_id`,
  )
    .all()
    .map(connectorSignIns.decode)
}

export function updateSignIn(tx: Tx, row: Pick<SignInRow, 'sign_in_id' | 'status' | 'updated_at'>): void {
  connectorSignIns.updateColumns(tx, row, ['status', 'updated_at'])
}

/** Deletes ended sign-ins that nobody changed since a time. Returns how many. */
export function deleteEndedSignIns(tx: Tx, before: string, limit: number): number {
  return sql(
    tx,
    `DELETE FROM connector_sign_ins WHERE sign_in_id IN (
       SELECT sign_in_id FROM connector_sign_ins
        WHERE status IN ('done', 'failed', 'expired') AND updated_at < ? LIMIT ?)`,
  ).run(before, limit).changes
}
