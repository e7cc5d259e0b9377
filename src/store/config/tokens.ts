import type { AccessToken } from '@apprentice/contracts/admin/tokens.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { present, type Row } from '../db/row.ts'

export interface StoredToken extends AccessToken {
  readonly token_sha256: string
}

export interface LoginRow {
  readonly cookie_sha256: string
  readonly user_id: string
  readonly privilege: AccessToken['privilege']
  readonly created_at: string
  readonly expires_at: string
}

export function listTokens(reader: Reader): StoredToken[] {
  return sql(reader, 'SELECT * FROM tokens ORDER BY created_at, token_id')
    .all()
    .map((row) => ({ ...present(row as Row), schema_version: 1 }) as unknown as StoredToken)
}

export function insertToken(tx: Tx, token: StoredToken): void {
  sql(
    tx,
    `INSERT INTO tokens (token_id, token_sha256, user_id, label, privilege, created_at)
     VALUES (@token_id, @token_sha256, @user_id, @label, @privilege, @created_at)`,
  ).run(token)
}

/** False when there is no such token still in force. */
export function revokeToken(tx: Tx, tokenId: string, now: string): boolean {
  return (
    sql(tx, 'UPDATE tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL').run(
      now,
      tokenId,
    ).changes === 1
  )
}

export function listLogins(reader: Reader, now: string): LoginRow[] {
  return sql(reader, 'SELECT * FROM logins WHERE expires_at > ?').all(now) as LoginRow[]
}

export function insertLogin(tx: Tx, login: LoginRow): void {
  sql(
    tx,
    `INSERT INTO logins (cookie_sha256, user_id, privilege, created_at, expires_at)
     VALUES (@cookie_sha256, @user_id, @privilege, @created_at, @expires_at)`,
  ).run(login)
}

export function deleteExpiredLogins(tx: Tx, now: string): void {
  sql(tx, 'DELETE FROM logins WHERE expires_at <= ?').run(now)
}
