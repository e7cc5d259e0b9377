import type { EffectiveConnectorPolicy } from '@apprentice/contracts/connectors/policy.ts'
import type { ConnectorServer } from '@apprentice/contracts/connectors/server.ts'
import { Failure } from '../../failure/failure.ts'
import { type DispatchRow, insertDispatch } from '../../store/connectors/dispatches.ts'
import type { CommandContext } from '../command/context.ts'
import { endDispatch } from './dispatch-outcomes.ts'

type DeniedCall = Pick<DispatchRow, 'tool_name' | 'action_class' | 'max_duration_ms' | 'project_id'>

/** Keeps a call that the policy does not allow, with its receipt. Its arguments are not kept. */
export function recordDeniedCall(
  ctx: CommandContext,
  call: DeniedCall,
  { server, policy }: { readonly server: ConnectorServer; readonly policy: EffectiveConnectorPolicy },
): Failure {
  const { dispatch_id, correlation_id } = openCall(ctx, call, { server, policy })
  const refusal = describeDenial(policy, server)
  endDispatch(ctx, dispatch_id, { status: 'denied', error_code: refusal.code, error_message: refusal.message })
  return new Failure(refusal.code, refusal.message, { details: { ...refusal.details, dispatch_id, correlation_id } })
}

function openCall(
  ctx: CommandContext,
  { tool_name, action_class, max_duration_ms, project_id }: DeniedCall,
  { server, policy }: { readonly server: ConnectorServer; readonly policy: EffectiveConnectorPolicy },
): DispatchRow {
  const dispatch: DispatchRow = {
    dispatch_id: ctx.newId(),
    correlation_id: ctx.correlation_id,
    user_id: ctx.actor.user_id,
    server_id: server.server_id,
    tool_name,
    action_class,
    status: 'queued',
    approval_mode: 'autonomous',
    max_duration_ms,
    project_id,
    policy_trace: policy.precedence_trace,
    created_at: ctx.now,
  }
  insertDispatch(ctx.tx, dispatch)
  return dispatch
}

export const describeDenial = (
  { decision, inherited_from }: EffectiveConnectorPolicy,
  { display_name }: ConnectorServer,
): Failure =>
  new Failure('MCP_POLICY_DENIED', `The connector policy does not allow this call of ${display_name}.`, {
    details: { inherited_from, reason_code: decision.reason_code ?? 'policy_disabled' },
  })
