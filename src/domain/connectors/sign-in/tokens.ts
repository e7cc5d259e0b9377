import { z } from 'zod'
import type { AuthState } from '@apprentice/contracts/connectors/values.ts'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { describeGrant, type TokenGrant } from '../../../knowledge/connectors/token-grant.ts'
import { hasScope, shortenScope } from '../../../knowledge/m365/scope-table.ts'
import {
  type AuthProfileRow,
  deleteProfile,
  findProfile,
  upsertProfile,
} from '../../../store/connectors/auth-profiles.ts'
import { deleteEntry } from '../../../store/connectors/vault.ts'
import type { Reader, Tx } from '../../../store/db/db.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'
import { resolveChallenges } from './challenges.ts'
import { getServer, readAuthStatus } from '../registry/server-view.ts'
import {
  formatClientRef,
  formatTokenRef,
  readSecretText,
  storeSecretText,
  type VaultCipher,
} from '../registry/vault.ts'

/** How tokens were obtained, so that they can be refreshed and revoked. The daemon made it, so its form is known. */
const GrantSource = z.looseObject({})

const TokenEntry = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  subject: z.string().optional(),
  source: GrantSource,
})
export type TokenEntry = z.infer<typeof TokenEntry>

export interface StoredGrant {
  readonly grant: TokenGrant
  readonly requested: readonly string[]
  readonly source: Readonly<Record<string, unknown>>
}

export function findTokens(reader: Reader, cipher: VaultCipher, profileId: string): TokenEntry | undefined {
  const text = readSecretText(reader, cipher, formatTokenRef(profileId))
  return text === undefined ? undefined : TokenEntry.parse(JSON.parse(text))
}

/** Stores what an authorization server granted and sets the state of the profile. A refresh token that is not replaced stays. */
export function storeTokens(
  ctx: CommandContext,
  cipher: VaultCipher,
  profile: AuthProfileRow,
  { grant: given, requested, source }: StoredGrant,
): AuthProfileRow {
  const grant = profile.provider === 'm365' ? spellScopes(given, profile.scopes) : given
  const before = findTokens(ctx.tx, cipher, profile.auth_profile_id)
  const refresh_token = grant.refresh_token ?? before?.refresh_token
  const subject = grant.subject ?? before?.subject
  const entry = { access_token: grant.access_token, refresh_token, subject, source }
  const token_ref = formatTokenRef(profile.auth_profile_id)
  storeSecretText(ctx, cipher, token_ref, JSON.stringify(entry))
  const facts = describeGrant({ ...grant, refresh_token }, { requested, wanted: profile.scopes, now: ctx.now })
  const { expires_at, refresh_at, ...rest } = facts
  return updateProfile(ctx, {
    ...profile,
    ...rest,
    expires_at,
    refresh_at,
    token_ref,
    subject: subject?.slice(0, 240),
    last_auth_error_code: undefined,
  })
}

/** The token endpoint of Microsoft may name scopes in other letters, or with the address of the API before them. */
function spellScopes(grant: TokenGrant, wanted: readonly string[]): TokenGrant {
  const spell = (scope: string): string => wanted.find((one) => hasScope([one], scope)) ?? shortenScope(scope)
  return grant.scopes === undefined ? grant : { ...grant, scopes: grant.scopes.map(spell) }
}

/** Forgets the tokens of a profile. */
export function forgetTokens(ctx: CommandContext, profile: AuthProfileRow): AuthProfileRow {
  deleteEntry(ctx.tx, formatTokenRef(profile.auth_profile_id))
  return updateProfile(ctx, {
    ...profile,
    token_ref: undefined,
    scopes_granted: [],
    expires_at: undefined,
    refresh_at: undefined,
    status: 'revoked',
    last_auth_error_code: undefined,
  })
}

/** Deletes a profile with what the vault has of it. */
export function eraseProfile(tx: Tx, authProfileId: string): void {
  for (const ref of [formatTokenRef(authProfileId), formatClientRef(authProfileId)]) deleteEntry(tx, ref)
  deleteProfile(tx, authProfileId)
}

/** Records why the sign-in of a profile does not work. */
export const markProfile = (
  ctx: CommandContext,
  profile: AuthProfileRow,
  { status, error_code }: { readonly status: AuthState; readonly error_code: string },
): AuthProfileRow => updateProfile(ctx, { ...profile, status, last_auth_error_code: error_code.slice(0, 120) })

/** Records that the sign-in of a profile works. */
export const acceptProfile = (ctx: CommandContext, profile: AuthProfileRow): AuthProfileRow =>
  updateProfile(ctx, { ...profile, status: 'healthy', last_auth_error_code: undefined })

function updateProfile(ctx: CommandContext, row: AuthProfileRow): AuthProfileRow {
  const { auth_profile_id } = row
  const updated = { ...row, updated_at: ctx.now }
  upsertProfile(ctx.tx, updated)
  if (updated.status === 'healthy') resolveChallenges(ctx, auth_profile_id)
  recordEvent(ctx, `connector/${auth_profile_id}`, 'mcp.auth_profile.changed', { auth_profile_id })
  return updated
}

/** The sign-in of a server as clients see it. */
export const readServerAuth = (reader: Reader, serverId: string): ServerAuthStatus =>
  readAuthStatus(reader, getServer(reader, serverId))

/** The profile of a server, if the server and the profile still exist. */
export function findServerProfile(reader: Reader, serverId: string): AuthProfileRow | undefined {
  const { auth_profile_id } = getServer(reader, serverId)
  return auth_profile_id === undefined ? undefined : findProfile(reader, auth_profile_id)
}
