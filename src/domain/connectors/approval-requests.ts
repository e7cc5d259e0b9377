import type { ConnectorPolicyTarget } from '@apprentice/contracts/connectors/policy.ts'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { insertApproval } from '../../store/connectors/approvals.ts'
import type { DispatchRow } from '../../store/connectors/dispatches.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { recordConnectorReceipt } from './registry/receipts.ts'
import { formatPayloadRef } from './registry/vault.ts'

const APPROVAL_TTL_MS = 15 * 60_000
const MAX_NAMES = 20

export interface PausedCall {
  readonly dispatch: DispatchRow
  readonly request: {
    readonly arguments: Readonly<Record<string, unknown>>
    readonly why_needed?: string | undefined
    readonly session_ref?: string | undefined
    readonly turn_ref?: string | undefined
  }
  readonly server: ConnectorServer
  readonly target: ConnectorPolicyTarget
  /** Absent: that of the server. */
  readonly data_class?: string | undefined
}

/** Keeps a call until a person decides about it. */
export function requestApproval(
  ctx: CommandContext,
  { dispatch, request, server, target, data_class }: PausedCall,
): void {
  const { dispatch_id, correlation_id, user_id, server_id, tool_name, action_class, project_id } = dispatch
  const request_summary = summarize(tool_name, server, request.arguments)
  insertApproval(ctx.tx, {
    dispatch_id,
    correlation_id,
    user_id,
    server_id,
    provider: server.provider,
    tool_name,
    action_class,
    request_summary,
    request_payload_ref: formatPayloadRef(dispatch_id),
    status: 'pending',
    paused_dispatch_ref: `dispatch:${dispatch_id}`,
    effective_policy_target: target,
    data_class: data_class ?? server.data_classes[0],
    why_needed: request.why_needed,
    session_ref: request.session_ref,
    turn_ref: request.turn_ref,
    project_id,
    expires_at: new Date(Date.parse(ctx.now) + APPROVAL_TTL_MS).toISOString(),
    created_at: ctx.now,
    updated_at: ctx.now,
    schema_version: 1,
  })
  recordConnectorReceipt(ctx, 'ask_first', { server_id, status: 'blocked', summary: request_summary })
  recordEvent(ctx, `connector/${server_id}`, 'mcp.approval.changed', { dispatch_id, status: 'pending' })
}

/** Names the arguments. Their values may be private and stay in the vault. */
function summarize(
  toolName: string,
  { display_name }: ConnectorServer,
  given: Readonly<Record<string, unknown>>,
): string {
  const names = Object.keys(given)
  const listed = names.slice(0, MAX_NAMES).map((name) => name.slice(0, 40))
  const what = names.length === 0 ? 'without arguments' : `with ${listed.join(', ')}`
  return `${toolName} of ${display_name} ${what}.`.slice(0, 500)
}
