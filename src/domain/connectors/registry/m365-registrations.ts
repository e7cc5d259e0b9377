import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import type { M365Patch, M365Registration } from '@apprentice/contracts/connectors/m365-registration.ts'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../../failure/failure.ts'
import {
  checkRegistration,
  formatRegistrationError,
  type RegistrationError,
  type RegistrationFacts,
} from '../../../knowledge/m365/registration-check.ts'
import { type ApprovedScopes, readFamilies } from '../../../knowledge/m365/scope-table.ts'
import { findProfile } from '../../../store/connectors/auth-profiles.ts'
import { findM365, type M365Row } from '../../../store/connectors/m365.ts'
import type { Reader } from '../../../store/db/db.ts'

/** A server of Microsoft 365 that may be stored, with what it says besides other servers. */
interface CheckedServer {
  readonly server: ConnectorServer
  readonly row: M365Row
}

/** Checks a server before it is stored. Servers of other providers have nothing to check. Throws if it is refused. */
export function checkServer(
  reader: Reader,
  server: ConnectorServer,
  { options, approved }: { readonly options: M365Patch | undefined; readonly approved: ApprovedScopes },
): CheckedServer | undefined {
  if (server.provider !== 'm365') {
    if (options === undefined) return undefined
    throw invalid('m365', 'only a server of the provider m365 has it')
  }
  if (server.transport === 'local_bridge') throw invalid('transport', 'Microsoft 365 is not reached by a local bridge')
  const families = options?.operation_families ?? readFamilies(server.supported_tools)
  if (families.length === 0) throw invalid('supported_tools', 'name at least one operation of Microsoft 365')
  const row = mergeOptions(server.server_id, findM365(reader, server.server_id), options)
  const checked = { ...server, supported_tools: [...new Set(families)], supports_smoke_test: true }
  const errors = checkRegistration(readFacts(reader, checked, row), approved)
  const [first] = errors
  if (first !== undefined) throw toFailure(first, errors)
  return { server: checked, row }
}

function mergeOptions(server_id: string, before: M365Row | undefined, options: M365Patch | undefined): M365Row {
  return {
    server_id,
    requested_scopes: options?.requested_scopes ?? before?.requested_scopes ?? [],
    verified_obo_chain: options?.verified_obo_chain ?? before?.verified_obo_chain ?? false,
    allow_background_service_ops:
      options?.allow_background_service_ops ?? before?.allow_background_service_ops ?? false,
  }
}

function readFacts(reader: Reader, server: ConnectorServer, row: M365Row): RegistrationFacts {
  const { auth_profile_id, interaction_mode, supported_tools } = server
  const profile = auth_profile_id === undefined ? undefined : findProfile(reader, auth_profile_id)
  const { requested_scopes, verified_obo_chain, allow_background_service_ops } = row
  return {
    operation_families: readFamilies(supported_tools),
    interaction_mode,
    auth_mode: profile?.auth_mode ?? 'none',
    redirect_uri: profile?.redirect_uri,
    requested_scopes,
    profile_scopes: profile?.scopes ?? [],
    verified_obo_chain,
    allow_background_service_ops,
  }
}

/** Why a call of a registered server is not made because of how it signs in. A profile may have changed meanwhile. */
export function findModeError(
  reader: Reader,
  server: ConnectorServer,
  family: M365OperationFamily,
): RegistrationError | undefined {
  const facts = { ...readFacts(reader, server, getOptions(reader, server.server_id)), operation_families: [family] }
  return checkRegistration(facts, {}).find(
    ({ code }) => code !== 'M365_SCOPE_MISSING' && code !== 'M365_INTERACTIVE_REDIRECT_URI_REQUIRED',
  )
}

const getOptions = (reader: Reader, serverId: string): M365Row =>
  findM365(reader, serverId) ?? mergeOptions(serverId, undefined, undefined)

/** Scopes that a server asks for besides those of its profile. */
export const listRequestedScopes = (reader: Reader, server: ConnectorServer): string[] =>
  server.provider === 'm365' ? getOptions(reader, server.server_id).requested_scopes : []

/** Whether an administrator has checked the on-behalf-of chain of a server. */
export const isChainVerified = (reader: Reader, server: ConnectorServer): boolean =>
  server.provider === 'm365' && getOptions(reader, server.server_id).verified_obo_chain

/** The registration as clients see it. Undefined for other providers, and for a server whose profile is gone. */
export function readRegistration(reader: Reader, server: ConnectorServer): M365Registration | undefined {
  const { auth_profile_id, display_name, interaction_mode, provider, server_id, supported_tools } = server
  if (provider !== 'm365' || auth_profile_id === undefined) return undefined
  const profile = findProfile(reader, auth_profile_id)
  const { requested_scopes, ...options } = getOptions(reader, server_id)
  return {
    ...options,
    server_id,
    provider,
    display_name,
    operation_families: readFamilies(supported_tools),
    interaction_mode,
    auth_profile_id,
    requested_scopes: requested_scopes.length > 0 ? requested_scopes : (profile?.scopes ?? []),
    tenant_id: profile?.tenant_id,
    client_id: profile?.client_id,
    redirect_uri: profile?.redirect_uri,
    incremental_consent_supported: profile?.incremental_consent_supported ?? true,
  }
}

const MESSAGES = {
  M365_FORBIDDEN_AUTH_MODE: 'Microsoft 365 does not accept this way to sign in for this kind of server.',
  M365_INTERACTIVE_REDIRECT_URI_REQUIRED: 'The sign-in profile needs a redirect_uri, because a person signs in.',
  M365_OBO_CHAIN_UNVERIFIED: 'Set verified_obo_chain after the on-behalf-of chain was checked.',
  M365_DELEGATED_ONLY_OPERATION: 'An operation needs a signed-in person and cannot run in the background.',
  M365_SCOPE_MISSING: 'An operation needs a scope that neither the server nor its profile asks for.',
} as const

function toFailure(first: RegistrationError, errors: readonly RegistrationError[]): Failure {
  const { code } = first
  return new Failure(code, MESSAGES[code], { details: { errors: errors.map(formatRegistrationError) } })
}

export const describeModeError = ({ code }: RegistrationError): string => MESSAGES[code]

const invalid = (field: string, message: string): Failure =>
  new Failure('INVALID_REQUEST', `${field}: ${message}`, { details: { field } })
