import type {
  ConnectionHealth,
  ConnectorServer,
  LinkedAbility,
  ServerAuthStatus,
  ServerListItem,
} from '@apprentice/contracts/connectors/server.ts'
import type { AuthState } from '@apprentice/contracts/connectors/values.ts'
import { Failure } from '../../../failure/failure.ts'
import { UNKNOWN_HEALTH } from '../../../knowledge/connectors/connection-health.ts'
import { decideConnectorPolicy } from '../../../knowledge/connectors/connector-policy.ts'
import { listActions, listBadges } from '../../../knowledge/connectors/server-badges.ts'
import { findAbility } from '../../../store/abilities/abilities.ts'
import { type AuthProfileRow, findProfile } from '../../../store/connectors/auth-profiles.ts'
import { countOpenDispatches } from '../../../store/connectors/dispatches.ts'
import { type ConnectorHint, listConnectorHints } from '../../../store/connectors/linked-abilities.ts'
import { findProbe } from '../../../store/connectors/probes.ts'
import { findLastReceiptId } from '../../../store/connectors/receipts.ts'
import { findHealth, findServer, listServers } from '../../../store/connectors/servers.ts'
import type { Reader } from '../../../store/db/db.ts'
import { isVisible } from '../../abilities/visibility.ts'
import { isBuiltIn } from './built-in-server.ts'
import { readRegistration } from './m365-registrations.ts'
import { listPolicyDecisions } from './policy-decisions.ts'

/** For whom, when, and with what else a view of a server is made. */
export interface ViewContext {
  readonly user_id: string
  readonly now: string
  /** Whether a server is being used now, so that it cannot be deleted. */
  readonly isBusy: (serverId: string) => boolean
}

export function listServerViews(reader: Reader, context: ViewContext): ServerListItem[] {
  const hints = listConnectorHints(reader)
  return listServers(reader).map((server) => composeView(reader, server, { ...context, hints }))
}

export const getServerView = (reader: Reader, server: ConnectorServer, context: ViewContext): ServerListItem =>
  composeView(reader, server, { ...context, hints: listConnectorHints(reader) })

export function getServer(reader: Reader, serverId: string): ConnectorServer {
  const server = findServer(reader, serverId)
  if (server === undefined) throw new Failure('MCP_SERVER_NOT_FOUND', `There is no connector server ${serverId}.`)
  return server
}

export function readServerHealth(reader: Reader, server: ConnectorServer): ConnectionHealth {
  const {
    failures,
    successes_in_a_row: _s,
    throttles_in_a_row: _t,
    ...record
  } = findHealth(reader, server.server_id) ?? UNKNOWN_HEALTH
  return {
    server_id: server.server_id,
    ...record,
    health_status: server.enabled ? record.health_status : 'disabled',
    failure_count_rolling: failures.length,
    auth_state: readAuthStatus(reader, server).auth_state,
    interactive_capable: server.interaction_mode === 'interactive_user',
    schema_version: 1,
  }
}

/** The health with the time of the last probe, which changes too often to be recorded as an event. */
export function readLastHealth(reader: Reader, server: ConnectorServer): ConnectionHealth {
  const health = readServerHealth(reader, server)
  const probed = findProbe(reader, server.server_id)?.last_probe_at
  const isLater = probed !== undefined && (health.last_checked_at === undefined || probed > health.last_checked_at)
  return isLater ? { ...health, last_checked_at: probed } : health
}

export function readAuthStatus(reader: Reader, server: ConnectorServer): ServerAuthStatus {
  const { server_id, auth_profile_id } = server
  const profile = auth_profile_id === undefined ? undefined : findProfile(reader, auth_profile_id)
  if (profile === undefined) {
    // A server without a profile is asked without signing in.
    return { server_id, auth_state: 'healthy', scopes_granted: [], scopes_missing: [], schema_version: 1 }
  }
  const { scopes, scopes_granted, auth_mode, expires_at, refresh_at, redirect_uri, last_auth_error_code } = profile
  return {
    server_id,
    auth_profile_id: profile.auth_profile_id,
    auth_state: readAuthState(profile),
    auth_mode,
    scopes_granted,
    scopes_missing: scopes.filter((scope) => !scopes_granted.includes(scope)),
    expires_at,
    refresh_at,
    redirect_uri,
    last_auth_error_code,
    schema_version: 1,
  }
}

/** A profile without a sign-in of its own needs no person. */
const readAuthState = ({ auth_mode, status }: AuthProfileRow): AuthState => (auth_mode === 'none' ? 'healthy' : status)

function composeView(
  reader: Reader,
  registry: ConnectorServer,
  { user_id, now, isBusy, hints }: ViewContext & { readonly hints: readonly ConnectorHint[] },
): ServerListItem {
  const { server_id, provider } = registry
  const health = readLastHealth(reader, registry)
  const auth = readAuthStatus(reader, registry)
  const profile = registry.auth_profile_id === undefined ? undefined : findProfile(reader, registry.auth_profile_id)
  const effective_policy = decideConnectorPolicy(
    listPolicyDecisions(reader),
    { provider, server_id, action_class: 'read' },
    now,
  )
  const facts = {
    registry,
    health,
    auth,
    mode: effective_policy.decision.mode,
    can_refresh: profile?.refresh_policy !== 'deny',
    has_token: profile?.token_ref !== undefined,
    is_delete_blocked: isBuiltIn(server_id) || isBusy(server_id) || countOpenDispatches(reader, server_id) > 0,
  }
  return {
    registry,
    health,
    auth,
    effective_policy,
    badge_states: listBadges(facts),
    m365: readRegistration(reader, registry),
    linked_abilities: listLinkedAbilities(reader, { registry, hints, user_id }),
    available_actions: listActions(facts),
    last_receipt_id: findLastReceiptId(reader, server_id),
    deferred_design_only: false,
    schema_version: 1,
  }
}

/** Abilities whose bundle names this server, then those that name its provider. */
function listLinkedAbilities(
  reader: Reader,
  { registry, hints, user_id }: { registry: ConnectorServer; hints: readonly ConnectorHint[]; user_id: string },
): LinkedAbility[] {
  const linked = new Map<string, LinkedAbility>()
  for (const [name, relation] of [
    [registry.server_id, 'primary'],
    [registry.provider, 'suggested'],
  ] as const) {
    for (const { ability_id } of hints.filter(({ hint }) => hint === name)) {
      const ability = findAbility(reader, ability_id)
      if (ability === undefined || linked.has(ability_id) || !isVisible(ability, user_id)) continue
      linked.set(ability_id, { ability_id, label: ability.title.slice(0, 160), relation })
    }
  }
  return [...linked.values()]
}
