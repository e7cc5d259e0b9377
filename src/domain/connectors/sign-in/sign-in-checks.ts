import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../../failure/failure.ts'
import type { AuthProfileRow } from '../../../store/connectors/auth-profiles.ts'
import type { CommandContext } from '../../command/context.ts'
import type { ChallengeRow } from '../../../store/connectors/challenges.ts'
import { openChallenge } from './challenges.ts'
import { hasUsableAssertion } from './assertions.ts'
import { hasUsableKey } from './refused-sign-ins.ts'
import { findServerProfile, markProfile } from './tokens.ts'

/**
 * Why a call cannot be made before a person signs in. Then a challenge is open for it. Undefined if there is a token, or
 * the call may get one by itself.
 */
export function findSignInProblem(ctx: CommandContext, server: ConnectorServer): Failure | undefined {
  const profile = findServerProfile(ctx.tx, server.server_id)
  if (profile === undefined || isUsable(ctx, profile)) return undefined
  const { auth_profile_id, auth_mode, scopes, scopes_granted } = profile
  if (auth_mode === 'api_key') {
    const what = profile.last_auth_error_code === undefined ? 'has no API key' : 'does not accept the API key'
    return new Failure('MCP_AUTH_CHALLENGE_REQUIRED', `${server.display_name} ${what}. Store one in the vault.`)
  }
  if (profile.status === 'healthy') markProfile(ctx, profile, { status: 'expired', error_code: 'token_expired' })
  const missing = profile.token_ref === undefined ? [] : scopes.filter((scope) => !scopes_granted.includes(scope))
  const kind = missing.length > 0 ? 'incremental_consent' : 'reauth'
  if (server.interaction_mode === 'background_service') {
    const code = findSignInCode(server.provider, 'reauth')
    return new Failure(code, `${server.display_name} has no token, and could not get one by itself.`)
  }
  return challengeSignIn(ctx, server, { auth_profile_id, kind, scopes: missing })
}

interface SignInDemand {
  readonly auth_profile_id: string
  readonly kind: 'reauth' | 'incremental_consent'
  readonly scopes: readonly string[]
}

export const openSignInChallenge = (
  ctx: CommandContext,
  { server_id }: Pick<ConnectorServer, 'server_id'>,
  demand: SignInDemand,
): ChallengeRow => openChallenge(ctx, { server_id, ...demand })

export function challengeSignIn(ctx: CommandContext, server: ConnectorServer, demand: SignInDemand): Failure {
  const { provider, display_name } = server
  const { challenge_id, expires_at } = openSignInChallenge(ctx, server, demand)
  const { kind, scopes } = demand
  return new Failure(findSignInCode(provider, kind), `A person has to sign in to ${display_name} first.`, {
    details: { challenge_id, kind, scopes, expires_at },
  })
}

/** Microsoft 365 has codes of its own for what a person has to do. */
export const findSignInCode = (provider: ConnectorServer['provider'], kind: SignInDemand['kind']) =>
  provider !== 'm365' ? 'MCP_AUTH_CHALLENGE_REQUIRED' : kind === 'reauth' ? 'M365_AUTH_EXPIRED' : 'M365_SCOPE_MISSING'

function isUsable(ctx: CommandContext, profile: AuthProfileRow): boolean {
  const { auth_mode, status } = profile
  if (auth_mode === 'none') return true
  if (auth_mode === 'api_key') return hasUsableKey(ctx.tx, profile)
  return (status === 'healthy' && !isExpired(profile, ctx.now)) || mayRefreshByItself(ctx, profile)
}

export const isExpired = ({ expires_at }: AuthProfileRow, now: string): boolean =>
  expires_at !== undefined && expires_at <= now

/** Whether a call may get a new token without a person. */
function mayRefreshByItself({ tx }: CommandContext, profile: AuthProfileRow): boolean {
  const { auth_mode, refresh_policy, status, token_ref } = profile
  if (refresh_policy !== 'auto_if_refresh_token' || status === 'revoked') return false
  if (auth_mode === 'oauth2_client_credentials' || hasUsableAssertion(tx, profile)) return true
  return token_ref !== undefined && status !== 'challenge_required'
}
