import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { M365_REFUSALS, M365Options, M365Patch } from './m365-registration.ts'
import {
  ConnectionHealth,
  DataClasses,
  DisplayName,
  ServerAuthStatus,
  ServerListItem,
  SupportedTools,
} from './server.ts'
import { AuthProfileId, InteractionMode, Provider, ReasonCode, ServerId, ToolName, Transport } from './values.ts'

const TAG = 'connectors'
const serverParams = z.object({ serverId: ServerId })

export const ServerMutation = z
  .object({
    server: ServerListItem,
    updated: z.boolean(),
    accepted: z.literal(true),
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ServerMutation' })
export type ServerMutation = z.infer<typeof ServerMutation>

export const listConnectorServers = route({
  method: 'GET',
  url: '/api/mcp/servers',
  tag: TAG,
  summary: 'List the registered servers with their health, sign-in, policy, badges and actions',
  privilege: 'read',
  reply: z.object({ servers: z.array(ServerListItem), generated_at: DateTime, schema_version: SchemaVersion }),
})

export const registerConnectorServer = route({
  method: 'POST',
  url: '/api/mcp/servers/register',
  tag: TAG,
  summary: 'Register a server',
  privilege: 'admin',
  body: strictRequestBody({
    provider: Provider,
    display_name: DisplayName,
    endpoint_url: z.url().max(2000).optional(),
    transport: Transport,
    interaction_mode: InteractionMode.default('interactive_user'),
    auth_profile_id: AuthProfileId.optional(),
    data_classes: DataClasses.default([]),
    supported_tools: SupportedTools.default([]),
    enabled: z.boolean().default(true),
    m365: M365Options.optional().describe('For servers of Microsoft 365'),
  }),
  reply: ServerMutation,
  status: 201,
  fails: ['MCP_ENDPOINT_NOT_ALLOWED', 'MCP_AUTH_PROFILE_NOT_FOUND', 'MCP_AUTH_PROFILE_MISMATCH', ...M365_REFUSALS],
})

export const patchConnectorServer = route({
  method: 'PATCH',
  url: '/api/mcp/servers/:serverId',
  tag: TAG,
  summary: 'Change a server; `auth_profile_id: null` detaches its profile',
  privilege: 'admin',
  params: serverParams,
  body: strictRequestBody({
    display_name: DisplayName.optional(),
    endpoint_url: z.url().max(2000).optional(),
    auth_profile_id: AuthProfileId.nullable().optional(),
    enabled: z.boolean().optional(),
    data_classes: DataClasses.optional(),
    supported_tools: SupportedTools.optional(),
    m365: M365Patch.optional().describe('For servers of Microsoft 365; what it leaves out stays'),
  }),
  reply: ServerMutation,
  fails: [
    'MCP_SERVER_NOT_FOUND',
    'MCP_ENDPOINT_NOT_ALLOWED',
    'MCP_AUTH_PROFILE_NOT_FOUND',
    'MCP_AUTH_PROFILE_MISMATCH',
    ...M365_REFUSALS,
  ],
})

export const deleteConnectorServer = route({
  method: 'DELETE',
  url: '/api/mcp/servers/:serverId',
  tag: TAG,
  summary: 'Remove a server; its sign-in profile stays unless it was made for this server only',
  privilege: 'admin',
  params: serverParams,
  reply: z.object({
    server_id: ServerId,
    deleted: z.literal(true),
    auth_profile_action: z.enum(['none', 'retained_shared', 'retained_unreferenced', 'deleted_unreferenced']),
    detached_auth_profile_id: AuthProfileId.optional(),
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  }),
  fails: ['MCP_SERVER_NOT_FOUND', 'MCP_SERVER_DELETE_BLOCKED'],
})

export const getConnectorHealth = route({
  method: 'GET',
  url: '/api/mcp/servers/:serverId/health',
  tag: TAG,
  summary: 'Get the last known health of a server; it is not asked now',
  privilege: 'read',
  params: serverParams,
  reply: ConnectionHealth,
  fails: ['MCP_SERVER_NOT_FOUND'],
})

export const getConnectorAuthStatus = route({
  method: 'GET',
  url: '/api/mcp/servers/:serverId/auth/status',
  tag: TAG,
  summary: 'Get the state of the sign-in of a server',
  privilege: 'read',
  params: serverParams,
  reply: ServerAuthStatus,
  fails: ['MCP_SERVER_NOT_FOUND'],
})

export const SmokeTestResult = z
  .object({
    server_id: ServerId,
    smoke_test_id: Uuid,
    status: z.enum(['passed', 'failed', 'blocked', 'degraded']),
    overall_status: z.enum(['healthy', 'degraded', 'failed']),
    auth_ok: z.boolean(),
    transport_ok: z.boolean(),
    tool_discovery_ok: z.boolean(),
    discovered_tools: z.array(ToolName).max(500).describe('The names of the tools that the server offers'),
    receipt_id: Uuid.optional(),
    started_at: DateTime,
    completed_at: DateTime,
    error_code: z.string().max(160).optional(),
    failure_reason_code: ReasonCode.optional(),
    summary: z.string().max(500).optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'SmokeTestResult' })
export type SmokeTestResult = z.infer<typeof SmokeTestResult>

export const smokeTestConnector = route({
  method: 'POST',
  url: '/api/mcp/servers/:serverId/smoke-test',
  tag: TAG,
  summary: 'Connect to a server, list its tools and call one that only reads, if it is named',
  privilege: 'write',
  params: serverParams,
  body: strictRequestBody({
    server_id: ServerId,
    tool_name: z.string().min(1).max(160).optional(),
    payload_preview: z.record(z.string().max(160), z.unknown()).optional().describe('The arguments of the named tool'),
    project_id: z.string().max(160).optional(),
    include_tool_discovery: z.boolean().default(true),
    max_duration_ms: z.int().min(1000).max(60_000).default(10_000),
    correlation_id: Uuid.optional(),
  }),
  reply: SmokeTestResult,
  fails: [
    'MCP_SERVER_NOT_FOUND',
    'MCP_SERVER_NOT_ACTIVE_IN_BUILD',
    'MCP_SERVER_DISABLED',
    'MCP_POLICY_DENIED',
    'MCP_AUTH_CHALLENGE_REQUIRED',
  ],
})
