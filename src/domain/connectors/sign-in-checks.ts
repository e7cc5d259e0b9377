import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../failure/failure.ts'
import type { AuthProfileRow } from '../../store/connectors/auth-profiles.ts'
import type { CommandContext } from '../command/context.ts'
import { openChallenge } from './challenges.ts'
import { findServerProfile, markProfile } from './tokens.ts'

/**
 * Why a call cannot be made before a person signs in. Then a challenge is open for it. Undefined if there is a token, or
 * the call may get one by itself.
 */
export function findSignInProblem(ctx: CommandContext, server: ConnectorServer): Failure | undefined {
  const profile = findServerProfile(ctx.tx, server.server_id)
  if (profile === undefined || isUsable(profile, ctx.now)) return undefined
  const { auth_profile_id, auth_mode, scopes, scopes_granted } = profile
  if (auth_mode === 'api_key') {
    return new Failure('MCP_AUTH_CHALLENGE_REQUIRED', `${server.display_name} has no API key. Store it in the vault.`)
  }
  if (profile.status === 'healthy') markProfile(ctx, profile, { status: 'expired', error_code: 'token_expired' })
  const missing = profile.token_ref === undefined ? [] : scopes.filter((scope) => !scopes_granted.includes(scope))
  const kind = missing.length > 0 ? 'incremental_consent' : 'reauth'
  return challengeSignIn(ctx, server, { auth_profile_id, kind, scopes: missing })
}

export function challengeSignIn(
  ctx: CommandContext,
  { server_id, display_name }: ConnectorServer,
  challenge: { auth_profile_id: string; kind: 'reauth' | 'incremental_consent'; scopes: readonly string[] },
): Failure {
  const { challenge_id, expires_at } = openChallenge(ctx, { server_id, ...challenge })
  const { kind, scopes } = challenge
  return new Failure('MCP_AUTH_CHALLENGE_REQUIRED', `A person has to sign in to ${display_name} first.`, {
    details: { challenge_id, kind, scopes, expires_at },
  })
}

function isUsable(profile: AuthProfileRow, now: string): boolean {
  const { auth_mode, status, secret_ref } = profile
  if (auth_mode === 'none') return true
  if (auth_mode === 'api_key') return secret_ref !== undefined
  return (status === 'healthy' && !isExpired(profile, now)) || mayRefreshByItself(profile)
}

export const isExpired = ({ expires_at }: AuthProfileRow, now: string): boolean =>
  expires_at !== undefined && expires_at <= now

/** Whether a call may get a new token without a person. */
function mayRefreshByItself({ auth_mode, refresh_policy, status, token_ref }: AuthProfileRow): boolean {
  if (refresh_policy !== 'auto_if_refresh_token' || status === 'revoked') return false
  return auth_mode === 'oauth2_client_credentials' || (token_ref !== undefined && status !== 'challenge_required')
}
