import type { M365OperationFamily } from '@apprentice/contracts/connectors/m365-families.ts'
import type { M365_REFUSALS } from '@apprentice/contracts/connectors/m365-registration.ts'
import type { AuthMode } from '@apprentice/contracts/connectors/values.ts'
import { type ApprovedScopes, findUnrequestedScopes, getScopeRule } from './scope-table.ts'

export type M365RegistrationCode = (typeof M365_REFUSALS)[number]

/** What a registration is checked by. A server without a profile has the mode `none`. */
export interface RegistrationFacts {
  readonly operation_families: readonly M365OperationFamily[]
  readonly interaction_mode: 'interactive_user' | 'background_service'
  readonly auth_mode: AuthMode
  readonly redirect_uri?: string | undefined
  readonly requested_scopes: readonly string[]
  readonly profile_scopes: readonly string[]
  readonly verified_obo_chain: boolean
  readonly allow_background_service_ops: boolean
}

/** One reason to refuse a registration. The suffix names the family or the scope. */
export interface RegistrationError {
  readonly code: M365RegistrationCode
  readonly suffix?: string
}

export const formatRegistrationError = ({ code, suffix }: RegistrationError): string =>
  suffix === undefined ? code : `${code}:${suffix}`

/** All reasons to refuse a registration, in the order of the rules. */
export function checkRegistration(facts: RegistrationFacts, approved: ApprovedScopes): RegistrationError[] {
  const isInteractive = facts.interaction_mode === 'interactive_user'
  const found = isInteractive ? checkInteractive(facts) : checkBackground(facts)
  const requested = [...facts.requested_scopes, ...facts.profile_scopes]
  const missing = facts.operation_families.flatMap((family) => findUnrequestedScopes(family, requested, approved))
  const scopes = [...new Set(missing)].map((suffix) => ({ code: 'M365_SCOPE_MISSING' as const, suffix }))
  return [...found, ...scopes]
}

const INTERACTIVE_REFUSED: ReadonlySet<AuthMode> = new Set(['oauth2_client_credentials', 'api_key', 'none'])

function checkInteractive({ auth_mode, redirect_uri, verified_obo_chain }: RegistrationFacts): RegistrationError[] {
  const rules: readonly (readonly [M365RegistrationCode, boolean])[] = [
    ['M365_FORBIDDEN_AUTH_MODE', INTERACTIVE_REFUSED.has(auth_mode)],
    ['M365_INTERACTIVE_REDIRECT_URI_REQUIRED', redirect_uri === undefined],
    ['M365_OBO_CHAIN_UNVERIFIED', auth_mode === 'oauth2_on_behalf_of' && !verified_obo_chain],
  ]
  return rules.flatMap(([code, applies]) => (applies ? [{ code }] : []))
}

function checkBackground(facts: RegistrationFacts): RegistrationError[] {
  const { auth_mode, allow_background_service_ops, operation_families } = facts
  const isService = auth_mode === 'oauth2_client_credentials' && !allow_background_service_ops
  const isForbidden = isService || auth_mode === 'api_key' || auth_mode === 'none'
  const delegated = operation_families
    .filter((family) => getScopeRule(family).delegated_only)
    .map((suffix) => ({ code: 'M365_DELEGATED_ONLY_OPERATION' as const, suffix }))
  return [...delegated, ...(isForbidden ? [{ code: 'M365_FORBIDDEN_AUTH_MODE' as const }] : [])]
}
