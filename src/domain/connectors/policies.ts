import type { z } from 'zod'
import type {
  ConnectorPolicies,
  ConnectorPolicyDecision,
  EffectiveConnectorPolicy,
  updateConnectorPolicy,
} from '@apprentice/contracts/connectors/policy.ts'
import { Failure } from '../../failure/failure.ts'
import { decideConnectorPolicy, formatTargetKey } from '../../knowledge/connectors/connector-policy.ts'
import { deleteDecision, listDecisions, upsertDecision } from '../../store/connectors/policies.ts'
import { listTools } from '../../store/connectors/tools.ts'
import type { Reader } from '../../store/db/db.ts'
import type { CommandContext } from '../command/context.ts'
import { recordEvent } from '../command/ledger.ts'
import { decidePolicy, findActionClass } from './dispatches.ts'
import { listPolicyDecisions } from './registry/policy-decisions.ts'
import { recordConnectorReceipt } from './registry/receipts.ts'
import { getServer } from './registry/server-view.ts'

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
  return decideConnectorPolicy(listPolicyDecisions(ctx.tx), { ...question, action_class: 'read' }, ctx.now)
}

/** The decisions in force, and what follows from them for the tools of a server: those it offers and the supported ones. */
export function readPolicies(reader: Reader, server_id: string | undefined, now: string): ConnectorPolicies {
  const decisions = listDecisions(reader)
    .filter(({ decision: { expires_at } }) => expires_at === undefined || expires_at > now)
    .map(({ target, decision }) => ({ target, decision }))
  if (server_id === undefined) return { decisions, tools: [], schema_version: 1 }
  const server = getServer(reader, server_id)
  const names = new Set([...listTools(reader, server_id).map(({ tool_name }) => tool_name), ...server.supported_tools])
  const tools = [...names].toSorted().map((tool_name) => {
    const action_class = findActionClass(reader, server, tool_name)
    const effective_policy = decidePolicy(reader, server, { tool_name, action_class }, now)
    return { tool_name, action_class, effective_policy }
  })
  return { decisions, tools, schema_version: 1 }
}
