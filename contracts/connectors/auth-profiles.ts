import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { SecretRef } from './vault.ts'
import { AuthMode, AuthProfileId, AuthState, Provider, ReasonCode, RefreshPolicy, Scope, ServerId } from './values.ts'

const TAG = 'connectors'
const Scopes = z.array(Scope).max(100)
const Ref = z.string().min(1).max(240)
const RedirectUri = z.url().max(2000)
const profileParams = z.object({ authProfileId: AuthProfileId })

export const AuthProfile = z
  .object({
    auth_profile_id: AuthProfileId,
    provider: Provider,
    auth_mode: AuthMode,
    secret_ref: Ref.optional().describe('Names a secret of the vault; never the secret'),
    token_ref: Ref.optional().describe('Names a token of the vault; never the token'),
    scopes: Scopes,
    tenant_id: z.string().max(120).optional(),
    client_id: z.string().max(120).optional(),
    redirect_uri: RedirectUri.optional(),
    token_subject_kind: z.enum(['user', 'service', 'delegated']),
    incremental_consent_supported: z.boolean(),
    auth_challenge_supported: z.boolean(),
    expires_at: DateTime.optional(),
    refresh_at: DateTime.optional(),
    refresh_policy: RefreshPolicy,
    status: AuthState,
    last_auth_error_code: ReasonCode.optional(),
    shared_profile: z.boolean(),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AuthProfile' })
export type AuthProfile = z.infer<typeof AuthProfile>

export const listAuthProfiles = route({
  method: 'GET',
  url: '/api/mcp/auth-profiles',
  tag: TAG,
  summary: 'List the sign-in profiles of connectors',
  privilege: 'read',
  reply: z.object({ auth_profiles: z.array(AuthProfile), schema_version: SchemaVersion }),
})

export const createAuthProfile = route({
  method: 'POST',
  url: '/api/mcp/auth-profiles',
  tag: TAG,
  summary: 'Create a sign-in profile',
  privilege: 'admin',
  body: strictRequestBody({
    provider: Provider,
    auth_mode: AuthMode.default('oauth2_delegated'),
    scopes: Scopes.default([]),
    tenant_id: z.string().max(120).optional(),
    client_id: z.string().max(120).optional(),
    redirect_uri: RedirectUri.optional(),
    token_subject_kind: z.enum(['user', 'service', 'delegated']).default('user'),
    refresh_policy: RefreshPolicy.default('manual'),
    shared_profile: z.boolean().default(false),
    secret_ref: SecretRef.optional().describe('A secret that an administrator stored, such as secret:client'),
  }),
  reply: AuthProfile,
  status: 201,
})

export const patchAuthProfile = route({
  method: 'PATCH',
  url: '/api/mcp/auth-profiles/:authProfileId',
  tag: TAG,
  summary: 'Change a sign-in profile; `redirect_uri: null` removes it',
  privilege: 'admin',
  params: profileParams,
  body: strictRequestBody({
    scopes: Scopes.optional(),
    redirect_uri: RedirectUri.nullable().optional(),
    refresh_policy: RefreshPolicy.optional(),
    shared_profile: z.boolean().optional(),
  }),
  reply: AuthProfile,
  fails: ['MCP_AUTH_PROFILE_NOT_FOUND'],
})

export const deleteAuthProfile = route({
  method: 'DELETE',
  url: '/api/mcp/auth-profiles/:authProfileId',
  tag: TAG,
  summary: 'Delete a sign-in profile that no server uses',
  privilege: 'admin',
  params: profileParams,
  reply: z.object({
    auth_profile_id: AuthProfileId,
    deleted: z.literal(true),
    blocked_by_server_ids: z.array(ServerId),
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  }),
  fails: ['MCP_AUTH_PROFILE_NOT_FOUND', 'MCP_AUTH_PROFILE_IN_USE'],
})
