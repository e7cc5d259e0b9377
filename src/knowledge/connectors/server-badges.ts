import type { ConnectionHealth, ConnectorServer, ServerAuthStatus } from '@apprentice/contracts/connectors/server.ts'
import type { Badge, PolicyMode, ServerAction } from '@apprentice/contracts/connectors/values.ts'

/** What badges and actions of a server follow from. */
export interface ServerFacts {
  readonly registry: ConnectorServer
  readonly health: ConnectionHealth
  readonly auth: ServerAuthStatus
  readonly mode: PolicyMode
  readonly can_refresh: boolean
  readonly has_token: boolean
  readonly is_delete_blocked: boolean
}

const SIGN_IN_NEEDED: readonly string[] = ['challenge_required', 'expired', 'revoked']

export function listBadges({ registry, health, auth, mode }: ServerFacts): Badge[] {
  const isDeferred = !registry.active_build_surface
  const isConnected =
    registry.enabled &&
    !isDeferred &&
    auth.auth_state === 'healthy' &&
    health.health_status === 'healthy' &&
    mode !== 'disabled'
  const badges: readonly (readonly [Badge, boolean])[] = [
    ['connected', isConnected],
    ['approval_required', mode === 'ask_first'],
    ['auth_required', SIGN_IN_NEEDED.includes(auth.auth_state)],
    ['degraded', health.health_status === 'degraded'],
    ['disabled', !registry.enabled],
    ['deferred', isDeferred],
    ['background_only', registry.interaction_mode === 'background_service'],
  ]
  return badges.flatMap(([badge, applies]) => (applies ? [badge] : []))
}

export function listActions(facts: ServerFacts): ServerAction[] {
  const { registry, auth } = facts
  const remove: ServerAction[] = facts.is_delete_blocked ? [] : ['delete']
  if (!registry.active_build_surface) return ['edit', ...remove]
  const signsIn = auth.auth_mode?.startsWith('oauth2_') ?? false
  const actions: readonly (readonly [ServerAction, boolean])[] = [
    ['connect_auth', signsIn && auth.auth_state !== 'healthy'],
    ['refresh_auth', facts.has_token && facts.can_refresh],
    ['revoke_auth', facts.has_token],
    ['edit', true],
    ['smoke_test', registry.enabled && registry.supports_smoke_test],
    ['policy_update', true],
  ]
  return [...actions.flatMap(([action, applies]) => (applies ? [action] : [])), ...remove]
}
