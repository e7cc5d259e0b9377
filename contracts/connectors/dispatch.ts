import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { ActionClass, PolicyMode, Provider, ServerId, ToolName } from './values.ts'

const TAG = 'connectors'
const JsonObject = z.record(z.string(), z.unknown())

/** A tool of a connected server that may be called. */
export const ConnectorTool = z
  .object({
    qualified_name: z.string().max(240).describe('The name of the server and the tool, unique among all tools'),
    server_id: ServerId,
    provider: Provider,
    tool_name: ToolName,
    title: z.string().max(200).optional(),
    description: z.string().max(4000).optional(),
    input_schema: JsonObject,
    annotations: JsonObject.describe('What the server declares about the tool'),
    action_class: ActionClass,
    policy_mode: PolicyMode.describe('`ask_first`: a person decides about each call'),
  })
  .meta({ id: 'ConnectorTool' })
export type ConnectorTool = z.infer<typeof ConnectorTool>

export const listConnectorTools = route({
  method: 'GET',
  url: '/api/capabilities/connectors/tools',
  tag: TAG,
  summary: 'List the tools of connected servers that the policy allows, as their last test found them',
  privilege: 'read',
  reply: z.object({ tools: z.array(ConnectorTool), schema_version: SchemaVersion }),
})

export const DispatchStatus = z.enum([
  'waiting_for_approval',
  'queued',
  'running',
  'succeeded',
  'failed',
  'denied',
  'expired',
  'cancelled',
  'interrupted',
])
export type DispatchStatus = z.infer<typeof DispatchStatus>

export const ConnectorCall = z
  .object({
    dispatch_id: Uuid,
    correlation_id: z.string().max(200),
    server_id: ServerId,
    tool_name: ToolName,
    status: DispatchStatus.describe('`interrupted`: the daemon stopped during the call, so its effects are unknown'),
    result: z
      .object({
        content: z.array(JsonObject),
        structured_content: JsonObject.optional(),
        is_error: z.boolean().describe('Whether the tool itself reports an error'),
      })
      .optional()
      .describe('Kept for 24 hours'),
    progress: z
      .object({ progress: z.number(), total: z.number().optional(), message: z.string().max(500).optional() })
      .optional()
      .describe('How far a running call is, as its server says'),
    error_code: z.string().max(120).optional(),
    error_message: z.string().max(500).optional(),
    policy_trace: z
      .array(z.string().max(160))
      .describe('Why the call was made, asked about or refused: `rule=mode`, in the order of precedence'),
    created_at: DateTime,
    started_at: DateTime.optional(),
    completed_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'ConnectorCall' })
export type ConnectorCall = z.infer<typeof ConnectorCall>

const OnQuestion = z
  .enum(['decline', 'use_defaults'])
  .describe('What the server gets if it asks something during the call: a refusal, or the defaults that it states')

export const callConnectorTool = route({
  method: 'POST',
  url: '/api/capabilities/connectors/call',
  tag: TAG,
  summary: 'Call a tool of a connected server; a call that needs approval is kept and made when it is approved',
  privilege: 'write',
  body: strictRequestBody({
    server_id: ServerId.optional(),
    provider: Provider.optional().describe('Without `server_id`: the best of its servers that has the tool is called'),
    tool_name: ToolName,
    arguments: JsonObject.default({}),
    why_needed: z.string().max(500).optional().describe('Shown to the person who decides'),
    session_ref: z.string().min(1).max(240).optional().describe('The session that an approval may cover'),
    turn_ref: z.string().min(1).max(240).optional().describe('The turn that an approval may cover'),
    project_id: z.string().max(160).optional(),
    on_question: OnQuestion.default('decline'),
    max_duration_ms: z.int().min(1000).max(120_000).default(60_000),
    wait_ms: z
      .int()
      .min(0)
      .max(125_000)
      .optional()
      .describe('How long the reply may wait for the end of the call. Absent: as long as the call may take'),
  }),
  reply: ConnectorCall,
  pending_status: 202,
  fails: [
    'MCP_SERVER_NOT_FOUND',
    'MCP_SERVER_NOT_ACTIVE_IN_BUILD',
    'MCP_SERVER_DISABLED',
    'MCP_POLICY_DENIED',
    'MCP_ASK_FIRST_REQUIRED',
    'MCP_AUTH_CHALLENGE_REQUIRED',
    'MCP_THROTTLED',
    'M365_SCOPE_MISSING',
    'M365_AUTH_EXPIRED',
    'M365_FORBIDDEN_AUTH_MODE',
    'M365_OBO_CHAIN_UNVERIFIED',
    'M365_DELEGATED_ONLY_OPERATION',
  ],
})

export const getConnectorCall = route({
  method: 'GET',
  url: '/api/capabilities/connectors/calls/:dispatchId',
  tag: TAG,
  summary: 'Get the state of a call, and its result when it has ended; can wait for the end or the next progress',
  privilege: 'read',
  params: z.object({ dispatchId: Uuid }),
  query: z.object({
    wait_ms: z.coerce.number().int().min(0).max(60_000).default(0),
    seen_progress: z.coerce
      .number()
      .optional()
      .describe('The progress that the caller knows. If the call is at another, the reply does not wait'),
  }),
  reply: ConnectorCall,
  fails: ['MCP_ASK_FIRST_NOT_FOUND'],
})

export const cancelConnectorCall = route({
  method: 'POST',
  url: '/api/capabilities/connectors/calls/:dispatchId/cancel',
  tag: TAG,
  summary: 'Withdraw a call that waits for approval, or stop one that runs',
  privilege: 'write',
  params: z.object({ dispatchId: Uuid }),
  body: strictRequestBody({}),
  reply: ConnectorCall,
  fails: ['MCP_ASK_FIRST_NOT_FOUND'],
})
