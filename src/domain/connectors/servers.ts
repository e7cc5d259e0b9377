import type { z } from 'zod'
import type { ConnectorServer, ServerListItem } from '@apprentice/contracts/connectors/server.ts'
import type {
  deleteConnectorServer,
  patchConnectorServer,
  registerConnectorServer,
  ServerMutation,
} from '@apprentice/contracts/connectors/servers.ts'
import type { M365Patch } from '@apprentice/contracts/connectors/m365-registration.ts'
import { Failure } from '../../failure/failure.ts'
import { findEndpointFault } from '../../knowledge/connectors/endpoint-rules.ts'
import type { ApprovedScopes } from '../../knowledge/m365/scope-table.ts'
import { findProfile } from '../../store/connectors/auth-profiles.ts'
import { deleteGrantsOfServer } from '../../store/connectors/approvals.ts'
import { deleteChallengesOfServer } from '../../store/connectors/challenges.ts'
import { deleteDecisionsOfServer } from '../../store/connectors/policies.ts'
import { countOpenDispatches } from '../../store/connectors/dispatches.ts'
import { deleteProbe } from '../../store/connectors/probes.ts'
import { deleteM365, upsertM365 } from '../../store/connectors/m365.ts'
import * as store from '../../store/connectors/servers.ts'
import { deleteTools } from '../../store/connectors/tools.ts'
import type { Reader } from '../../store/db/db.ts'
import { removeFromCategories } from '../categories/categories.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { assertBuiltInChange, assertNotBuiltIn, isBuiltIn } from './registry/built-in-server.ts'
import { checkServer } from './registry/m365-registrations.ts'
import { recordConnectorReceipt } from './registry/receipts.ts'
import { getServer, getServerView, type ViewContext } from './registry/server-view.ts'
import { eraseProfile } from './sign-in/tokens.ts'

type Registration = Omit<z.infer<typeof registerConnectorServer.body>, 'client_request_id' | 'schema_version'>
type Patch = Omit<z.infer<typeof patchConnectorServer.body>, 'client_request_id' | 'schema_version'>
type Deletion = z.infer<typeof deleteConnectorServer.reply>

/** What the configuration says about connectors, and which servers are being used. */
export interface RegistryRules {
  readonly allowed_hosts: readonly string[]
  /** The names of programs that an administrator configured as local bridges. */
  readonly bridges: readonly string[]
  readonly isBusy: ViewContext['isBusy']
  /** Scopes that replace the minimum of operations of Microsoft 365. */
  readonly approved_scopes: ApprovedScopes
}

export function registerServer(ctx: CommandContext, given: Registration, rules: RegistryRules): ServerMutation {
  const { m365: options, ...fields } = given
  assertEndpoint(given, rules)
  assertProfile(ctx.tx, given.auth_profile_id, given.provider)
  const server: ConnectorServer = {
    server_id: makeServerId(given, ctx.newId()),
    ...fields,
    rate_limit_profile: 'unknown',
    // Only Microsoft 365 is called without an address in the registry: the settings name it.
    active_build_surface: given.transport !== 'provider_native' || given.provider === 'm365',
    supports_smoke_test: given.transport !== 'provider_native',
    created_at: ctx.now,
    updated_at: ctx.now,
    schema_version: 1,
  }
  storeServer(ctx, server, { options, rules })
  return finishMutation(ctx, server, { rules, kind: 'server_create', summary: `${server.display_name} registered.` })
}

export function patchServer(ctx: CommandContext, serverId: string, patch: Patch, rules: RegistryRules): ServerMutation {
  const before = getServer(ctx.tx, serverId)
  assertBuiltInChange(serverId, patch)
  const { display_name = before.display_name, endpoint_url = before.endpoint_url, enabled = before.enabled } = patch
  const { auth_profile_id = before.auth_profile_id, data_classes = before.data_classes } = patch
  const { supported_tools = before.supported_tools } = patch
  const after: ConnectorServer = {
    ...before,
    display_name,
    endpoint_url,
    auth_profile_id: auth_profile_id ?? undefined,
    enabled,
    data_classes,
    supported_tools,
    updated_at: ctx.now,
  }
  if (!isBuiltIn(serverId)) assertEndpoint(after, rules)
  assertProfile(ctx.tx, after.auth_profile_id, after.provider)
  const isOtherServer =
    after.endpoint_url !== before.endpoint_url ||
    after.auth_profile_id !== before.auth_profile_id ||
    (namesProgram(after) && after.display_name !== before.display_name)
  // Whoever changes the list of tools has looked at what the server offers now.
  const isReviewed = isOtherServer || patch.supported_tools !== undefined
  const isChanged = store.findHealth(ctx.tx, serverId)?.health_reason_code === 'tool_schema_changed'
  if (isOtherServer || (isReviewed && isChanged)) store.deleteHealth(ctx.tx, serverId)
  // What another server said about its tools must not decide about this one.
  if (isOtherServer) deleteTools(ctx.tx, serverId)
  storeServer(ctx, isReviewed ? { ...after, tool_schema_hash: undefined } : after, { options: patch.m365, rules })
  const names = Object.entries(patch)
    .flatMap(([name, value]) => (value === undefined ? [] : [name]))
    .join(', ')
  const summary = names === '' ? `${after.display_name} not changed.` : `${after.display_name} changed: ${names}.`
  return finishMutation(ctx, after, { rules, kind: 'server_patch', summary })
}

/** Whether the name of a server says which program of the settings it is. */
const namesProgram = ({ transport, endpoint_url }: Pick<ConnectorServer, 'transport' | 'endpoint_url'>): boolean =>
  transport === 'local_bridge' && endpoint_url === undefined

/** Stores a server. One of Microsoft 365 is checked first, and keeps what only such servers have. */
function storeServer(
  ctx: CommandContext,
  server: ConnectorServer,
  { options, rules }: { options: M365Patch | undefined; rules: RegistryRules },
): void {
  const checked = checkServer(ctx.tx, server, { options, approved: rules.approved_scopes })
  store.upsertServer(ctx.tx, checked?.server ?? server)
  if (checked !== undefined) upsertM365(ctx.tx, checked.row)
}

/** Removes a server with its policy and health. A sign-in profile goes with it only if it was made for this server. */
export function removeServer(ctx: CommandContext, serverId: string, rules: RegistryRules): Deletion {
  const { display_name, auth_profile_id } = getServer(ctx.tx, serverId)
  assertNotBuiltIn(serverId)
  if (rules.isBusy(serverId) || countOpenDispatches(ctx.tx, serverId) > 0) {
    throw new Failure('MCP_SERVER_DELETE_BLOCKED', `${display_name} is being used. Try again when its work has ended.`)
  }
  store.deleteServer(ctx.tx, serverId)
  store.deleteHealth(ctx.tx, serverId)
  deleteDecisionsOfServer(ctx.tx, serverId)
  deleteChallengesOfServer(ctx.tx, serverId)
  deleteTools(ctx.tx, serverId)
  deleteProbe(ctx.tx, serverId)
  deleteM365(ctx.tx, serverId)
  deleteGrantsOfServer(ctx.tx, serverId)
  removeFromCategories(ctx, ['connector'], serverId)
  const auth_profile_action = detachProfile(ctx, auth_profile_id)
  const receipt_id = recordConnectorReceipt(ctx, 'server_delete', {
    server_id: serverId,
    summary: `${display_name} removed.`,
  })
  recordEvent(ctx, `connector/${serverId}`, 'mcp.server.changed', { server_id: serverId, deleted: true })
  return {
    server_id: serverId,
    deleted: true,
    auth_profile_action,
    detached_auth_profile_id: auth_profile_id,
    receipt_id,
    schema_version: 1,
  }
}

function detachProfile(ctx: CommandContext, profileId: string | undefined): Deletion['auth_profile_action'] {
  const profile = profileId === undefined ? undefined : findProfile(ctx.tx, profileId)
  if (profile === undefined) return 'none'
  const { auth_profile_id, shared_profile, disposable } = profile
  if (shared_profile || store.listServersWithProfile(ctx.tx, auth_profile_id).length > 0) return 'retained_shared'
  if (!disposable) return 'retained_unreferenced'
  eraseProfile(ctx.tx, auth_profile_id)
  return 'deleted_unreferenced'
}

function finishMutation(
  ctx: CommandContext,
  server: ConnectorServer,
  { rules, kind, summary }: { rules: RegistryRules; kind: 'server_create' | 'server_patch'; summary: string },
): ServerMutation {
  const { server_id } = server
  const receipt_id = recordConnectorReceipt(ctx, kind, { server_id, summary: summary.slice(0, 500) })
  recordEvent(ctx, `connector/${server_id}`, 'mcp.server.changed', { server_id })
  return { server: view(ctx, server, rules), updated: true, accepted: true, receipt_id, schema_version: 1 }
}

const view = (ctx: CommandContext, { server_id }: ConnectorServer, { isBusy }: RegistryRules): ServerListItem =>
  getServerView(ctx.tx, getServer(ctx.tx, server_id), { user_id: ctx.actor.user_id, now: ctx.now, isBusy })

function assertEndpoint(
  server: Pick<ConnectorServer, 'transport' | 'display_name'> & { readonly endpoint_url?: string | undefined },
  { allowed_hosts, bridges }: RegistryRules,
): void {
  const { transport, endpoint_url, display_name } = server
  const fault =
    namesProgram({ transport, endpoint_url }) && !bridges.includes(display_name)
      ? `display_name: the settings name no local bridge ${display_name}`
      : findEndpointFault({ transport, endpoint_url }, allowed_hosts)
  if (fault !== undefined) {
    throw new Failure('MCP_ENDPOINT_NOT_ALLOWED', fault, { details: { field: fault.split(':')[0] } })
  }
}

export function assertProfile(reader: Reader, profileId: string | undefined, provider: string): void {
  if (profileId === undefined) return
  const profile = findProfile(reader, profileId)
  if (profile === undefined) {
    throw new Failure('MCP_AUTH_PROFILE_NOT_FOUND', `There is no sign-in profile ${profileId}.`)
  }
  if (profile.provider !== provider) {
    throw new Failure(
      'MCP_AUTH_PROFILE_MISMATCH',
      `The sign-in profile is for ${profile.provider} and the server is of ${provider}.`,
      { details: { field: 'auth_profile_id' } },
    )
  }
}

const LONGEST_SLUG = 57

/**
 * A readable id with six random hexadecimal digits. The fourth is a letter, because observations mask four decimal
 * digits in a row.
 */
function makeServerId({ provider, display_name }: Registration, randomId: string): string {
  const slug = `${provider} ${display_name}`
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
    .slice(0, LONGEST_SLUG)
  const digits = randomId.replaceAll('-', '').slice(-6)
  const letter = 'abcdef'[Number.parseInt(digits[3] ?? '0', 16) % 6]
  return `${slug}-${digits.slice(0, 3)}${letter}${digits.slice(4)}`
}
