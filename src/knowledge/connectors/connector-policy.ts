import type {
  ConnectorPolicyDecision,
  ConnectorPolicyTarget,
  EffectiveConnectorPolicy,
} from '@apprentice/contracts/connectors/policy.ts'
import type { ActionClass, PolicyMode, Provider } from '@apprentice/contracts/connectors/values.ts'

/** What a policy is asked about: a tool of a server, a server, a provider, or all connectors. */
export interface PolicyQuestion {
  readonly provider?: Provider | undefined
  readonly server_id?: string | undefined
  readonly tool_name?: string | undefined
  readonly action_class: ActionClass
}

export interface StoredDecision {
  readonly target: ConnectorPolicyTarget
  readonly decision: ConnectorPolicyDecision
}

type Level = 'global' | 'provider' | 'server' | 'tool'

const STRICTNESS: Readonly<Record<PolicyMode, number>> = { enabled: 0, ask_first: 1, disabled: 2 }
/** The most specific level wins among equally strict decisions. */
const SPECIFICITY: readonly Level[] = ['global', 'provider', 'server', 'tool']

/**
 * The policy for a question. The strictest decision that an administrator made applies. Without one, reading is allowed
 * and everything else is asked first; only a decision for the tool itself lets it write without asking.
 */
export function decideConnectorPolicy(
  decisions: readonly StoredDecision[],
  question: PolicyQuestion,
  now: string,
): EffectiveConnectorPolicy {
  const target = describeTarget(question)
  const relevant = decisions.flatMap(({ target: at, decision }) => {
    const level = findLevel(at, question)
    const isExpired = decision.expires_at !== undefined && decision.expires_at <= now
    return level === undefined || isExpired ? [] : [{ target: at, level, decision }]
  })
  const byPrecedence = relevant.toSorted(
    (a, b) =>
      STRICTNESS[b.decision.mode] - STRICTNESS[a.decision.mode] ||
      SPECIFICITY.indexOf(b.level) - SPECIFICITY.indexOf(a.level),
  )
  const explicit = byPrecedence.map((one) => traceRule(formatTargetKey(one.target), one.decision.mode))
  const [strictest] = byPrecedence
  const applies =
    strictest !== undefined &&
    (strictest.decision.mode !== 'enabled' || question.action_class === 'read' || strictest.level === 'tool')
  if (!applies) {
    const decision = makeDefault(question, now)
    const precedence_trace = [traceRule(decision.reason_code ?? 'default', decision.mode), ...explicit]
    return { target, decision, inherited_from: 'none', precedence_trace, schema_version: 1 }
  }
  const { level, decision } = strictest
  const inherited_from = level === target.target_kind || level === 'tool' ? 'none' : level
  return { target, decision, inherited_from, precedence_trace: explicit, schema_version: 1 }
}

const LONGEST_RULE = 160

/** The mode is never cut off. */
const traceRule = (rule: string, mode: PolicyMode): string => `${rule.slice(0, LONGEST_RULE - mode.length - 1)}=${mode}`

/** The key under which a decision is stored. There is one per target. */
export function formatTargetKey(target: ConnectorPolicyTarget): string {
  switch (target.target_kind) {
    case 'global':
      return 'global'
    case 'provider':
      return `provider/${target.provider}`
    case 'server':
      return `server/${target.server_id}`
    case 'tool':
      return `tool/${target.server_id}/${target.tool_name}`
    case 'temporary_grant':
      return `grant/${target.dispatch_id}`
  }
}

function findLevel(target: ConnectorPolicyTarget, question: PolicyQuestion): Level | undefined {
  switch (target.target_kind) {
    case 'global':
      return 'global'
    case 'provider':
      return target.provider === question.provider ? 'provider' : undefined
    case 'server':
      return target.server_id === question.server_id ? 'server' : undefined
    case 'tool':
      return target.server_id === question.server_id && target.tool_name === question.tool_name ? 'tool' : undefined
    case 'temporary_grant':
      return undefined
  }
}

function describeTarget({ provider, server_id, tool_name }: PolicyQuestion): ConnectorPolicyTarget {
  if (server_id !== undefined && tool_name !== undefined) return { target_kind: 'tool', server_id, tool_name }
  if (server_id !== undefined) return { target_kind: 'server', server_id }
  return provider === undefined ? { target_kind: 'global' } : { target_kind: 'provider', provider }
}

const makeDefault = ({ action_class }: PolicyQuestion, now: string): ConnectorPolicyDecision => ({
  ...(action_class === 'read'
    ? { mode: 'enabled', reason_code: 'default_read_allowed' }
    : { mode: 'ask_first', reason_code: 'default_write_ask_first' }),
  updated_by: 'system',
  updated_at: now,
})
