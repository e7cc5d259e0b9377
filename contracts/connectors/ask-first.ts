import { z } from 'zod'
import { DateTime, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'
import { ConnectorPolicyTarget } from './policy.ts'
import { ActionClass, Provider, ServerId, ToolName } from './values.ts'

const TAG = 'connectors'
const dispatchParams = z.object({ dispatchId: Uuid })

export const AskFirstStatus = z.enum([
  'pending',
  'approved_once',
  'approved_until_end_of_turn',
  'approved_for_session',
  'denied',
  'expired',
  'cancelled',
  'resumed',
])
export type AskFirstStatus = z.infer<typeof AskFirstStatus>

export const AskFirstRecord = z
  .object({
    dispatch_id: Uuid,
    correlation_id: z.string().max(200),
    server_id: ServerId,
    tool_name: ToolName,
    request_summary: z.string().max(500).describe('What is asked for, without the values of the arguments'),
    request_payload_ref: z.string().max(240).optional(),
    status: AskFirstStatus,
    paused_dispatch_ref: z.string().max(240),
    effective_policy_target: ConnectorPolicyTarget,
    expires_at: DateTime,
    decision_reason: z.string().max(500).optional(),
    approved_by: z.string().max(160).optional(),
    decided_at: DateTime.optional(),
    provider: Provider,
    action_class: ActionClass,
    data_class: z.string().max(80).optional(),
    why_needed: z.string().max(500).optional(),
    session_ref: z.string().max(240).optional(),
    turn_ref: z.string().max(240).optional(),
    project_id: z.string().max(160).optional(),
    created_at: DateTime,
    updated_at: DateTime,
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AskFirstRecord' })
export type AskFirstRecord = z.infer<typeof AskFirstRecord>

export const AskFirstDecision = z
  .object({
    dispatch: AskFirstRecord,
    resumed: z.boolean(),
    receipt_id: Uuid.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'AskFirstDecision' })
export type AskFirstDecision = z.infer<typeof AskFirstDecision>

export const listAskFirst = route({
  method: 'GET',
  url: '/api/mcp/ask-first/pending',
  tag: TAG,
  summary: 'List the calls that wait for a decision, and those that expired in the last 24 hours',
  privilege: 'read',
  reply: z.object({ dispatches: z.array(AskFirstRecord), schema_version: SchemaVersion }),
})

export const approveAskFirst = route({
  method: 'POST',
  url: '/api/mcp/ask-first/:dispatchId/approve',
  tag: TAG,
  summary: 'Approve a call: once, or also further calls of the tool in the same turn or session',
  privilege: 'admin',
  params: dispatchParams,
  body: strictRequestBody({
    decision: z.enum(['approve_once', 'approve_until_end_of_turn', 'approve_for_session']),
    reason: z.string().max(500).optional(),
  }),
  reply: AskFirstDecision,
  fails: ['MCP_ASK_FIRST_NOT_FOUND', 'MCP_ASK_FIRST_EXPIRED', 'MCP_ASK_FIRST_ALREADY_DECIDED'],
})

export const denyAskFirst = route({
  method: 'POST',
  url: '/api/mcp/ask-first/:dispatchId/deny',
  tag: TAG,
  summary: 'Deny a call; it is not made',
  privilege: 'admin',
  params: dispatchParams,
  body: strictRequestBody({ decision: z.literal('deny'), reason: z.string().max(500).optional() }),
  reply: AskFirstDecision,
  fails: ['MCP_ASK_FIRST_NOT_FOUND', 'MCP_ASK_FIRST_EXPIRED', 'MCP_ASK_FIRST_ALREADY_DECIDED'],
})
