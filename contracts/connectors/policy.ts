import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { ActionClass, PolicyMode, Provider, ReasonCode, ServerId, ToolName } from './values.ts'

export const ConnectorPolicyTarget = z
  .discriminatedUnion('target_kind', [
    z.object({ target_kind: z.literal('global') }),
    z.object({ target_kind: z.literal('provider'), provider: Provider }),
    z.object({ target_kind: z.literal('server'), server_id: ServerId }),
    z.object({ target_kind: z.literal('tool'), server_id: ServerId, tool_name: ToolName }),
    z.object({ target_kind: z.literal('temporary_grant'), dispatch_id: Uuid }),
  ])
  .meta({ id: 'ConnectorPolicyTarget' })
export type ConnectorPolicyTarget = z.infer<typeof ConnectorPolicyTarget>

export const ConnectorPolicyDecision = z
  .object({
    mode: PolicyMode,
    expires_at: DateTime.optional(),
    reason_code: ReasonCode.optional(),
    updated_by: z.enum(['user', 'system', 'migration']),
    updated_at: DateTime,
  })
  .meta({ id: 'ConnectorPolicyDecision' })
export type ConnectorPolicyDecision = z.infer<typeof ConnectorPolicyDecision>

export const EffectiveConnectorPolicy = z
  .object({
    target: ConnectorPolicyTarget,
    decision: ConnectorPolicyDecision,
    inherited_from: z.enum(['none', 'global', 'provider', 'server']).default('none'),
    precedence_trace: z
      .array(z.string().max(160))
      .describe('What was considered, as `target=mode`, in the order of precedence. The first applies'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'EffectiveConnectorPolicy' })
export type EffectiveConnectorPolicy = z.infer<typeof EffectiveConnectorPolicy>

export const updateConnectorPolicy = route({
  method: 'POST',
  url: '/api/mcp/policy/update',
  tag: 'connectors',
  summary: 'Set the policy of all connectors, a provider, a server or a tool; an expiry in the past clears it',
  privilege: 'admin',
  body: requestBody({
    target: ConnectorPolicyTarget,
    decision: z.object({
      mode: PolicyMode,
      expires_at: DateTime.optional(),
      reason_code: ReasonCode.optional(),
      updated_by: z.string().max(160).optional().describe('Ignored: the daemon knows who asks'),
      updated_at: DateTime.optional().describe('Ignored: the daemon knows the time'),
    }),
  }),
  reply: EffectiveConnectorPolicy,
  fails: ['MCP_SERVER_NOT_FOUND'],
})

export const ConnectorPolicies = z
  .object({
    decisions: z
      .array(z.object({ target: ConnectorPolicyTarget, decision: ConnectorPolicyDecision }))
      .describe('What administrators decided, as far as it is in force'),
    tools: z
      .array(z.object({ tool_name: ToolName, action_class: ActionClass, effective_policy: EffectiveConnectorPolicy }))
      .describe('What applies to the tools of the server in the query'),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ConnectorPolicies' })
export type ConnectorPolicies = z.infer<typeof ConnectorPolicies>

export const listConnectorPolicies = route({
  method: 'GET',
  url: '/api/mcp/policies',
  tag: 'connectors',
  summary: 'List the decisions of the connector policy, and what follows for the tools of a server',
  privilege: 'read',
  query: z.object({ server_id: ServerId.optional() }),
  reply: ConnectorPolicies,
  fails: ['MCP_SERVER_NOT_FOUND'],
})
