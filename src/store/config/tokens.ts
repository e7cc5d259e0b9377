import type { AccessToken } from '@apprentice/contracts/admin/tokens.ts'
import { columns, flag, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const tokens = defineTable(
  'tokens',
  {
    ...columns(text(), 'token_id', 'token_sha256', 'user_id', 'label'),
    privilege: text<AccessToken['privilege']>(),
    ability_tools: flag(),
    created_at: text(),
    revoked_at: text().optional(),
  },
  { key: ['token_id'], constants: { schema_version: 1 } },
)

/** Browser logins, with the token that opened each. The hash of the cookie is stored, not the cookie. */
export const logins = defineTable(
  'logins',
  {
    ...columns(text(), 'login_id', 'cookie_sha256', 'token_sha256', 'user_id'),
    privilege: text<AccessToken['privilege']>(),
    created_at: text(),
    expires_at: text(),
  },
  { key: ['login_id'] },
)

export type StoredToken = RowOf<typeof tokens>
export type LoginRow = RowOf<typeof logins>

export function listTokens(reader: Reader): StoredToken[] {
  return sql(reader, 'SELECT * FROM tokens ORDER BY created_at, token_id').all().map(tokens.decode)
}

export function insertToken(tx: Tx, token: StoredToken): void {
  tokens.insert(tx, token)
}

/** The changed token. Undefined if no active token has this id. */
export function changeToken(tx: Tx, tokenId: string, abilityTools: boolean): StoredToken | undefined {
  return tokens.decodeOptional(
    sql(tx, 'UPDATE tokens SET ability_tools = ? WHERE token_id = ? AND revoked_at IS NULL RETURNING *').get(
      Number(abilityTools),
      tokenId,
    ),
  )
}

/** Returns false if there is no such token, or it is revoked already. */
export function revokeToken(tx: Tx, tokenId: string, now: string): boolean {
  return (
    sql(tx, 'UPDATE tokens SET revoked_at = ? WHERE token_id = ? AND revoked_at IS NULL').run(now, tokenId).changes ===
    1
  )
}

export function isTokenRevoked(reader: Reader, tokenId: string): boolean {
  return tokens.find(reader, tokenId)?.revoked_at !== undefined
}

export function deleteLoginsOfToken(tx: Tx, tokenId: string): void {
  sql(tx, 'DELETE FROM logins WHERE token_sha256 = (SELECT token_sha256 FROM tokens WHERE token_id = ?)').run(tokenId)
}

export function listLogins(reader: Reader, now: string): LoginRow[] {
  return sql(reader, 'SELECT * FROM logins WHERE expires_at > ? ORDER BY created_at, login_id')
    .all(now)
    .map(logins.decode)
}

export function insertLogin(tx: Tx, login: LoginRow): void {
  logins.insert(tx, login)
}

export function deleteExpiredLogins(tx: Tx, now: string): void {
  sql(tx, 'DELETE FROM logins WHERE expires_at <= ?').run(now)
}

/** Returns false if there is no such login. */
export function deleteLogin(tx: Tx, loginId: string): boolean {
  return sql(tx, 'DELETE FROM logins WHERE login_id = ?').run(loginId).changes === 1
}

/** Deletes the oldest logins of a user beyond the newest `keep`. */
export function deleteSurplusLogins(tx: Tx, userId: string, keep: number): void {
  sql(
    tx,
    `DELETE FROM logins WHERE user_id = ? AND login_id NOT IN (
       SELECT login_id FROM logins WHERE user_id = ? ORDER BY created_at DESC, login_id DESC LIMIT ?)`,
  ).run(userId, userId, keep)
}
