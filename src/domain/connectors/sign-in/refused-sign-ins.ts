import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import type { AuthProfileRow } from '../../../store/connectors/auth-profiles.ts'
import { findEntry } from '../../../store/connectors/vault.ts'
import type { Reader } from '../../../store/db/db.ts'
import type { CommandContext } from '../../command/context.ts'
import { acceptProfile, findServerProfile, markProfile } from './tokens.ts'

/** Whether the vault has the key of a profile. One that a server refused is not sent again before it is replaced. */
export function hasUsableKey(reader: Reader, { secret_ref, status, updated_at }: AuthProfileRow): boolean {
  const entry = secret_ref === undefined ? undefined : findEntry(reader, secret_ref)
  const wasRefused = status === 'challenge_required' || status === 'expired'
  return entry !== undefined && (!wasRefused || entry.updated_at > updated_at)
}

/** The server answered a request with its key. */
export function recordAcceptedKey(ctx: CommandContext, { server_id }: Pick<ConnectorServer, 'server_id'>): void {
  const profile = findServerProfile(ctx.tx, server_id)
  if (profile?.auth_mode === 'api_key' && profile.status !== 'healthy') acceptProfile(ctx, profile)
}

/**
 * A refused token or key is no fault of the server. The next call gets a new token, or a person has to do something.
 * Returns false if the server is used without signing in.
 */
export function recordRefusedSignIn(
  ctx: CommandContext,
  { server_id, interaction_mode }: Pick<ConnectorServer, 'server_id' | 'interaction_mode'>,
): boolean {
  const profile = findServerProfile(ctx.tx, server_id)
  if (profile === undefined || profile.auth_mode === 'none') return false
  const isForPerson = profile.auth_mode === 'api_key' && interaction_mode === 'interactive_user'
  markProfile(ctx, profile, { status: isForPerson ? 'challenge_required' : 'expired', error_code: 'unauthorized' })
  return true
}
