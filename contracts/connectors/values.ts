import { z } from 'zod'

export const Provider = z.enum(['m365', 'gmail_google', 'acrobat', 'custom_remote', 'provider_native'])
export type Provider = z.infer<typeof Provider>

export const Transport = z.enum(['remote_http', 'local_bridge', 'provider_native'])
export type Transport = z.infer<typeof Transport>

export const AuthMode = z.enum([
  'oauth2_delegated',
  'oauth2_on_behalf_of',
  'oauth2_client_credentials',
  'api_key',
  'none',
])
export type AuthMode = z.infer<typeof AuthMode>

export const InteractionMode = z.enum(['interactive_user', 'background_service'])
export const AuthState = z.enum(['healthy', 'challenge_required', 'expired', 'revoked', 'unknown'])
export type AuthState = z.infer<typeof AuthState>

export const HealthStatus = z.enum(['healthy', 'degraded', 'disabled', 'unknown'])
export type HealthStatus = z.infer<typeof HealthStatus>

export const PolicyMode = z.enum(['enabled', 'disabled', 'ask_first'])
export type PolicyMode = z.infer<typeof PolicyMode>

export const ActionClass = z.enum(['read', 'write', 'admin'])
export type ActionClass = z.infer<typeof ActionClass>

export const Badge = z.enum([
  'connected',
  'approval_required',
  'auth_required',
  'degraded',
  'disabled',
  'deferred',
  'background_only',
])
export type Badge = z.infer<typeof Badge>

export const ServerAction = z.enum([
  'connect_auth',
  'refresh_auth',
  'revoke_auth',
  'edit',
  'delete',
  'smoke_test',
  'policy_update',
])
export type ServerAction = z.infer<typeof ServerAction>

export const RefreshPolicy = z.enum(['manual', 'auto_if_refresh_token', 'deny'])

export const ServerId = z.string().regex(/^[a-z0-9-]{2,120}$/)
export const AuthProfileId = z.string().regex(/^[a-z0-9-]{2,120}$/)
export const ToolName = z.string().min(1).max(120)
export const Scope = z.string().min(1).max(160)
export const ReasonCode = z.string().max(120)
