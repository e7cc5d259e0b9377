import type { z } from 'zod'
import type { revokeConnectorSignIn } from '@apprentice/contracts/connectors/sign-in.ts'
import type { ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../../failure/failure.ts'
import { type AuthProfileRow, findProfile } from '../../../store/connectors/auth-profiles.ts'
import { findServer, listServersWithProfile, upsertServer } from '../../../store/connectors/servers.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { CommandContext } from '../../command/context.ts'
import { recordEvent } from '../../command/ledger.ts'
import { hasUsableAssertion } from './assertions.ts'
import { recordConnectorReceipt } from '../registry/receipts.ts'
import { getServer } from '../registry/server-view.ts'
import {
  eraseProfile,
  findServerProfile,
  findTokens,
  forgetTokens,
  markProfile,
  readServerAuth,
  storeTokens,
  type StoredGrant,
  type TokenEntry,
} from './tokens.ts'
import type { VaultCipher } from '../registry/vault.ts'

type Revocation = z.infer<typeof revokeConnectorSignIn.reply>

export interface RefreshRequest {
  readonly server_id: string
  readonly force: boolean
  /** Whether a call asks for it and not a person. */
  readonly is_automatic: boolean
}

export interface RefreshPlan {
  readonly profile: AuthProfileRow
  readonly tokens: TokenEntry | undefined
}

/** What a refresh uses. Undefined if the token is still good and nobody insists. */
export function planRefresh(
  reader: Reader,
  cipher: VaultCipher,
  { server_id, force, is_automatic }: RefreshRequest,
  now: string,
): RefreshPlan | undefined {
  const profile = findServerProfile(reader, server_id)
  if (profile === undefined || !profile.auth_mode.startsWith('oauth2_')) {
    throw new Failure('MCP_AUTH_PROFILE_REQUIRED', 'The server has no profile whose tokens can be refreshed.')
  }
  const tokens = findTokens(reader, cipher, profile.auth_profile_id)
  const needsNobody = profile.auth_mode === 'oauth2_client_credentials' || hasUsableAssertion(reader, profile)
  const isAllowed = !is_automatic || mayRefreshAutomatically(profile, needsNobody)
  const canRefresh = needsNobody || tokens?.refresh_token !== undefined
  const mayRefresh = profile.refresh_policy !== 'deny' && isAllowed && canRefresh
  if (!mayRefresh) {
    throw new Failure('MCP_OAUTH_REFRESH_NOT_ALLOWED', describeRefusal(profile, tokens), {
      details: { refresh_policy: profile.refresh_policy },
    })
  }
  const isFresh =
    profile.status === 'healthy' &&
    tokens !== undefined &&
    (profile.refresh_at === undefined || now < profile.refresh_at)
  return isFresh && !force ? undefined : { profile, tokens }
}

/** A profile that waits for a person is not refreshed behind their back. */
const mayRefreshAutomatically = ({ refresh_policy, status }: AuthProfileRow, needsNobody: boolean): boolean =>
  refresh_policy === 'auto_if_refresh_token' && status !== 'revoked' && (needsNobody || status !== 'challenge_required')

const describeRefusal = ({ refresh_policy }: AuthProfileRow, tokens: TokenEntry | undefined): string =>
  refresh_policy === 'deny'
    ? 'The policy of the sign-in profile is deny.'
    : tokens?.refresh_token === undefined
      ? 'There is no refresh token. A person has to sign in.'
      : 'Only a person may refresh this profile.'

export function recordRefresh(
  ctx: CommandContext,
  cipher: VaultCipher,
  { server_id, auth_profile_id }: { readonly server_id: string; readonly auth_profile_id: string },
  granted: StoredGrant,
): ServerAuthStatus {
  const profile = findProfile(ctx.tx, auth_profile_id)
  // A profile that was revoked meanwhile stays so.
  if (profile !== undefined && (profile.status !== 'revoked' || profile.auth_mode === 'oauth2_client_credentials')) {
    storeTokens(ctx, cipher, profile, granted)
    recordConnectorReceipt(ctx, 'auth_refresh', { server_id, auth_profile_id, summary: 'Token refreshed.' })
  }
  return readServerAuth(ctx.tx, server_id)
}

/** A refused refresh needs a person. After any other fault the token is used until it expires. */
export function recordRefreshFault(
  ctx: CommandContext,
  { server_id, auth_profile_id }: { readonly server_id: string; readonly auth_profile_id: string },
  { reason_code, isRefused }: { readonly reason_code: string; readonly isRefused: boolean },
): void {
  const profile = findProfile(ctx.tx, auth_profile_id)
  if (profile !== undefined && profile.status !== 'revoked') {
    const isExpired = profile.expires_at !== undefined && profile.expires_at <= ctx.now
    // Nobody is there to sign in to a server that works in the background.
    const isBackground = findServer(ctx.tx, server_id)?.interaction_mode === 'background_service'
    const refused = isBackground ? 'expired' : 'challenge_required'
    const status = isRefused ? refused : isExpired ? 'expired' : profile.status
    markProfile(ctx, profile, { status, error_code: reason_code })
  }
  const summary = `The token was not refreshed: ${reason_code}.`
  recordConnectorReceipt(ctx, 'auth_refresh', { server_id, auth_profile_id, status: 'failed', summary })
}

/** Forgets the tokens. The profile is deleted only if nothing else uses it. */
export function revokeTokens(
  ctx: CommandContext,
  {
    server_id,
    keep_auth_profile,
    remote,
  }: { server_id: string; keep_auth_profile: boolean; remote: string | undefined },
): Revocation {
  const server = getServer(ctx.tx, server_id)
  const profile = findServerProfile(ctx.tx, server_id)
  const base = { server_id, schema_version: 1 } as const
  if (profile === undefined || !profile.auth_mode.startsWith('oauth2_'))
    return { ...base, revoked: false, status: 'noop' }
  const { auth_profile_id } = profile
  const wasRevoked = profile.status === 'revoked'
  const hadToken = profile.token_ref !== undefined
  if (!wasRevoked) forgetTokens(ctx, profile)
  const isShared = profile.shared_profile || listServersWithProfile(ctx.tx, auth_profile_id).length > 1
  if (!keep_auth_profile && !isShared) {
    upsertServer(ctx.tx, { ...server, auth_profile_id: undefined, updated_at: ctx.now })
    eraseProfile(ctx.tx, auth_profile_id)
    recordEvent(ctx, `connector/${server_id}`, 'mcp.server.changed', { server_id })
  }
  const receipt_id = recordConnectorReceipt(ctx, 'auth_revoke', {
    server_id,
    auth_profile_id,
    status: remote === undefined ? 'ok' : 'degraded',
    summary: remote === undefined ? 'Tokens forgotten.' : `Tokens forgotten here; the server was not told: ${remote}.`,
  })
  if (wasRevoked) return { ...base, revoked: true, status: 'already_revoked', receipt_id }
  return { ...base, revoked: hadToken, status: hadToken ? 'revoked' : 'noop', receipt_id }
}
