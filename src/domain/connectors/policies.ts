import type { z } from 'zod'
import type {
  ConnectorPolicyDecision,
  EffectiveConnectorPolicy,
  updateConnectorPolicy,
} from '@apprentice/contracts/connectors/policy.ts'
import { Failure } from '../../failure/failure.ts'
import { decideConnectorPolicy, formatTargetKey } from '../../knowledge/connectors/connector-policy.ts'
import { deleteDecision, listDecisions, upsertDecision } from '../../store/connectors/policies.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { recordConnectorReceipt } from './receipts.ts'
import { getServer } from './server-view.ts'

type Update = Pick<z.infer<typeof updateConnectorPolicy.body>, 'target' | 'decision'>

/** Stores a decision, or clears it if its expiry is in the past. Returns what applies to the target now. */
export function updatePolicy(ctx: CommandContext, { target, decision }: Update): EffectiveConnectorPolicy {
  if (target.target_kind === 'temporary_grant') {
    throw new Failure('INVALID_REQUEST', 'target.target_kind: only the daemon makes temporary grants', {
      details: { field: 'target.target_kind' },
    })
  }
  const server_id = 'server_id' in target ? target.server_id : undefined
  const server = server_id === undefined ? undefined : getServer(ctx.tx, server_id)
  const { mode, expires_at, reason_code } = decision
  const isCleared = expires_at !== undefined && expires_at <= ctx.now
  const stored: ConnectorPolicyDecision = { mode, expires_at, reason_code, updated_by: 'user', updated_at: ctx.now }
  const target_key = formatTargetKey(target)
  if (isCleared) deleteDecision(ctx.tx, target_key)
  else upsertDecision(ctx.tx, { target_key, target, decision: stored })
  recordConnectorReceipt(ctx, 'policy_update', {
    ...(server_id === undefined ? {} : { server_id }),
    summary: isCleared ? `Policy of ${target_key} cleared.` : `Policy of ${target_key} set to ${mode}.`,
  })
  recordEvent(ctx, `connector/${server_id ?? 'all'}`, 'mcp.policy.changed', { target, mode, cleared: isCleared })
  const question = { ...target, provider: server?.provider ?? ('provider' in target ? target.provider : undefined) }
  return decideConnectorPolicy(listDecisions(ctx.tx), { ...question, action_class: 'read' }, ctx.now)
}
