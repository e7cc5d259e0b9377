import type { AuthProfile } from '@apprentice/contracts/connectors/auth-profiles.ts'
import { columns, flag, list, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { defineTable, type RowOf } from '../db/table.ts'

export const connectorAuthProfiles = defineTable(
  'connector_auth_profiles',
  {
    auth_profile_id: text(),
    provider: text<AuthProfile['provider']>(),
    auth_mode: text<AuthProfile['auth_mode']>(),
    ...columns(text().optional(), 'secret_ref', 'token_ref'),
    ...columns(list(), 'scopes', 'scopes_granted'),
    ...columns(text().optional(), 'tenant_id', 'client_id', 'redirect_uri'),
    token_subject_kind: text<AuthProfile['token_subject_kind']>(),
    ...columns(flag(), 'incremental_consent_supported', 'auth_challenge_supported'),
    ...columns(text().optional(), 'expires_at', 'refresh_at'),
    refresh_policy: text<AuthProfile['refresh_policy']>(),
    status: text<AuthProfile['status']>(),
    last_auth_error_code: text().optional(),
    subject: text().optional(),
    ...columns(flag(), 'shared_profile', 'disposable'),
    ...columns(text(), 'created_at', 'updated_at'),
  },
  { key: ['auth_profile_id'], constants: { schema_version: 1 } },
)

export type AuthProfileRow = RowOf<typeof connectorAuthProfiles>

export function listProfiles(reader: Reader): AuthProfileRow[] {
  return sql(reader, 'SELECT * FROM connector_auth_profiles ORDER BY created_at, auth_profile_id')
    .all()
    .map(connectorAuthProfiles.decode)
}

export function findProfile(reader: Reader, id: string): AuthProfileRow | undefined {
  return connectorAuthProfiles.find(reader, id)
}

export function upsertProfile(tx: Tx, row: AuthProfileRow): void {
  connectorAuthProfiles.upsert(tx, row)
}

export function deleteProfile(tx: Tx, id: string): void {
  sql(tx, 'DELETE FROM connector_auth_profiles WHERE auth_profile_id = ?').run(id)
}
