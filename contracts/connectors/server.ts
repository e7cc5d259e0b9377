import { z } from 'zod'
import { AbilityId, DateTime, SchemaVersion, text, Uuid } from '../base/fields.ts'
import { M365Registration } from './m365-registration.ts'
import { EffectiveConnectorPolicy } from './policy.ts'
import {
  AuthMode,
  AuthProfileId,
  AuthState,
  Badge,
  HealthStatus,
  InteractionMode,
  Provider,
  ReasonCode,
  Scope,
  ServerAction,
  ServerId,
  ToolName,
  Transport,
} from './values.ts'

export const DisplayName = text(160)
export const DataClasses = z.array(z.string().min(1).max(80)).max(50)
export const SupportedTools = z.array(ToolName).max(500)

export const ConnectorServer = z
  .object({
    server_id: ServerId,
    provider: Provider,
    display_name: DisplayName,
    endpoint_url: z.url().max(2000).optional(),
    transport: Transport,
    interaction_mode: InteractionMode,
    auth_profile_id: AuthProfileId.optional(),
    protocol_revision: z.string().max(40).optional(),
    tool_schema_hash: z.string().max(128).optional(),
    rate_limit_profile: z.enum(['unknown', 'low', 'medium', 'high']),
    data_classes: DataClasses,
    supported_tools: SupportedTools.describe('The tools that may be called; what the server offers besides is refused'),
    enabled: z.boolean(),
    active_build_surface: z.boolean(),
    supports_smoke_test: z.boolean(),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ConnectorServer' })
export type ConnectorServer = z.infer<typeof ConnectorServer>

export const ThrottleState = z
  .object({
    state: z.enum(['none', 'cooldown', 'server_backoff', 'rate_limited']),
    retry_after_ms: z.int().min(0).optional(),
    reason_code: ReasonCode.optional(),
    last_http_status: z.int().min(100).max(599).optional(),
  })
  .meta({ id: 'ThrottleState' })
export type ThrottleState = z.infer<typeof ThrottleState>

export const ToolHealth = z
  .object({
    ok: z.boolean(),
    last_error: z.string().max(240).optional(),
    last_checked_at: DateTime.optional(),
    last_http_status: z.int().min(100).max(599).optional(),
  })
  .meta({ id: 'ToolHealth' })
export type ToolHealth = z.infer<typeof ToolHealth>

export const ConnectionHealth = z
  .object({
    server_id: ServerId,
    health_status: HealthStatus,
    health_reason_code: ReasonCode.optional(),
    last_checked_at: DateTime.optional(),
    failure_count_rolling: z
      .int()
      .min(0)
      .describe('Failures in the ten minutes before the last check, without throttling'),
    backoff_until: DateTime.optional(),
    throttle_state: ThrottleState,
    auth_state: AuthState,
    interactive_capable: z.boolean(),
    tool_health: z.record(ToolName, ToolHealth),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ConnectionHealth' })
export type ConnectionHealth = z.infer<typeof ConnectionHealth>

export const ServerAuthStatus = z
  .object({
    server_id: ServerId,
    auth_profile_id: AuthProfileId.optional(),
    auth_state: AuthState,
    auth_mode: AuthMode.optional(),
    scopes_granted: z.array(Scope),
    scopes_missing: z.array(Scope),
    expires_at: DateTime.optional(),
    refresh_at: DateTime.optional(),
    redirect_uri: z.url().max(2000).optional(),
    last_auth_error_code: ReasonCode.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ServerAuthStatus' })
export type ServerAuthStatus = z.infer<typeof ServerAuthStatus>

export const LinkedAbility = z
  .object({
    ability_id: AbilityId,
    label: z.string().max(160).optional(),
    relation: z.enum(['primary', 'secondary', 'suggested']),
  })
  .meta({ id: 'LinkedAbility' })
export type LinkedAbility = z.infer<typeof LinkedAbility>

/** A server as clients see it. Badges and actions are decided by the daemon only. */
export const ServerListItem = z
  .object({
    registry: ConnectorServer,
    health: ConnectionHealth,
    auth: ServerAuthStatus.optional(),
    effective_policy: EffectiveConnectorPolicy,
    badge_states: z.array(Badge),
    m365: M365Registration.optional().describe('Servers of Microsoft 365 have it'),
    linked_abilities: z.array(LinkedAbility),
    available_actions: z.array(ServerAction),
    last_receipt_id: Uuid.optional(),
    deferred_design_only: z.boolean(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ServerListItem' })
export type ServerListItem = z.infer<typeof ServerListItem>
