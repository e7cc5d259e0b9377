import { z } from 'zod'
import { ActionClass, AuthProfileId, InteractionMode, Scope, ServerId } from './values.ts'
import { M365OperationFamily } from './m365-families.ts'

/** Why a server of Microsoft 365 is not registered. `details.errors` lists all reasons. */
export const M365_REFUSALS = [
  'M365_FORBIDDEN_AUTH_MODE',
  'M365_INTERACTIVE_REDIRECT_URI_REQUIRED',
  'M365_OBO_CHAIN_UNVERIFIED',
  'M365_DELEGATED_ONLY_OPERATION',
  'M365_SCOPE_MISSING',
] as const

/** What the registration of a Microsoft 365 server says besides what every server has. */
export const M365Options = z.strictObject({
  operation_families: z.array(M365OperationFamily).min(1).max(14),
  requested_scopes: z
    .array(Scope)
    .min(1)
    .max(100)
    .optional()
    .describe('Scopes of this server; without it those of its sign-in profile'),
  verified_obo_chain: z.boolean().default(false).describe('An administrator has checked the on-behalf-of chain'),
  allow_background_service_ops: z.boolean().default(false),
})
export type M365Options = z.infer<typeof M365Options>

/** What a change of a server may say. What it leaves out stays. */
export const M365Patch = z.strictObject({
  operation_families: M365Options.shape.operation_families.optional(),
  requested_scopes: M365Options.shape.requested_scopes,
  verified_obo_chain: z.boolean().optional(),
  allow_background_service_ops: z.boolean().optional(),
})
export type M365Patch = z.infer<typeof M365Patch>

/** The scopes that an operation needs. Which of those of `teams_post_message` depends on where the message goes. */
export const M365ScopeRule = z.object({
  operation_family: M365OperationFamily,
  action_class: ActionClass,
  minimum_delegated_scopes: z.array(Scope).min(1),
  optional_delegated_scopes: z.array(Scope),
  admin_consent_likely: z.boolean().default(false),
  delegated_only: z.boolean().default(false),
})
export type M365ScopeRule = z.infer<typeof M365ScopeRule>

/** A registered server as the rules of Microsoft 365 see it. */
export const M365Registration = z.object({
  server_id: ServerId,
  provider: z.literal('m365'),
  display_name: z.string().max(160),
  operation_families: z.array(M365OperationFamily).min(1),
  interaction_mode: InteractionMode,
  auth_profile_id: AuthProfileId,
  requested_scopes: z.array(Scope),
  tenant_id: z.string().max(120).optional(),
  client_id: z.string().max(120).optional(),
  redirect_uri: z.url().optional(),
  incremental_consent_supported: z.boolean().default(true),
  verified_obo_chain: z.boolean().default(false),
  allow_background_service_ops: z.boolean().default(false),
})
export type M365Registration = z.infer<typeof M365Registration>
