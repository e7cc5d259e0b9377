import { createHash } from 'node:crypto'
import type { Effect } from '@apprentice/contracts/devices/action.ts'
import type {
  ActionOutcome,
  Classification,
  NetworkEvidence,
  Predicate,
} from '@apprentice/contracts/devices/verification.ts'

export interface OutcomeEvidence {
  readonly verb: string
  /** Null for an action of unknown kind. */
  readonly effect: Effect | null
  /** The fingerprint or the activity changed after the action. */
  readonly ui_changed: boolean
  readonly predicate: Predicate
  readonly expected_element_visible: boolean | null
  /** For a launch: whether the launched app is in the foreground. */
  readonly foreground_matches?: boolean | null | undefined
  /** Null if no requests were collected, which differs from an empty list. */
  readonly network_requests: NetworkEvidence | null
  readonly has_log_errors: boolean | null
}

const CLASSIFICATION_VERSION = 1

/**
 * Classifies the outcome of an action by the first rule that holds. The result supplements an expectation and never
 * replaces one. Log errors never change it.
 */
export function classifyOutcome(evidence: OutcomeEvidence): Classification {
  const rule = RULES.find(({ holds }) => holds(evidence))
  if (rule === undefined) throw new Error('The last rule always holds.')
  const logs =
    rule.outcome === 'no_op' && evidence.has_log_errors === true ? ' The log contains errors from the same time.' : ''
  return {
    outcome: rule.outcome,
    rule_id: rule.id,
    table_version: CLASSIFICATION_VERSION,
    inputs_digest: createHash('sha256')
      .update(JSON.stringify(listInputs(evidence)))
      .digest('hex'),
    reasoning: `${rule.reason}${logs}`,
  }
}

interface Rule {
  readonly id: string
  readonly outcome: ActionOutcome
  readonly holds: (evidence: OutcomeEvidence) => boolean
  readonly reason: string
}

const RULES: readonly Rule[] = [
  {
    id: 'expected_state_holds',
    outcome: 'success',
    holds: (evidence) => combineExpectations(evidence) === 'true',
    reason: 'The expected state was observed.',
  },
  {
    id: 'changed_without_expectation',
    outcome: 'success',
    holds: (evidence) => evidence.ui_changed && combineExpectations(evidence) === 'none',
    reason: 'The screen changed and nothing more was expected.',
  },
  {
    id: 'request_failed',
    outcome: 'backend_failure',
    holds: (evidence) => hasStatus(evidence, 'failure', 'retryable'),
    reason: 'A request of this action failed.',
  },
  {
    id: 'changed_otherwise',
    outcome: 'changed_unverified',
    holds: (evidence) => evidence.ui_changed,
    reason: 'The screen changed, but not to the expected state.',
  },
  {
    id: 'effect_unknown',
    outcome: 'unknown',
    holds: ({ effect }) => effect === null,
    reason: 'The effect of the action is not known.',
  },
  {
    id: 'local_without_change',
    outcome: 'no_op',
    holds: ({ effect }) => effect === 'local_state',
    reason: 'The screen did not change. Check the state in more detail or find the element again.',
  },
  {
    id: 'launch_without_foreground',
    outcome: 'unknown',
    holds: (evidence) => isLaunch(evidence) && combineExpectations(evidence) === 'none',
    reason: 'A launch is judged by the foreground app, which was not read.',
  },
  {
    id: 'network_not_collected',
    outcome: 'unknown',
    holds: ({ network_requests }) => network_requests === null,
    reason: 'The screen did not change, and requests were not collected.',
  },
  {
    id: 'no_request',
    outcome: 'no_op',
    holds: ({ network_requests }) => network_requests?.length === 0,
    reason: 'The screen did not change, and no request was sent.',
  },
  {
    id: 'requests_without_change',
    outcome: 'ui_failure',
    holds: ({ network_requests }) => network_requests?.every(isSuccess) ?? false,
    reason: 'All requests succeeded, but the screen did not change.',
  },
  {
    id: 'undecided',
    outcome: 'unknown',
    holds: () => true,
    reason: 'The evidence is not sufficient.',
  },
]

/** Combines all expectations: an explicit check, the foreground app, a visible element. */
function combineExpectations(evidence: OutcomeEvidence): Predicate {
  if (evidence.predicate !== 'none') return evidence.predicate
  const checks = isLaunch(evidence)
    ? [evidence.foreground_matches ?? null, evidence.expected_element_visible]
    : [evidence.expected_element_visible]
  const known = checks.filter((check) => check !== null)
  if (known.length === 0) return 'none'
  return known.every(Boolean) ? 'true' : 'false'
}

const LAUNCH_VERBS = new Set(['open_app', 'start_app', 'restart_app'])

function isLaunch({ verb }: OutcomeEvidence): boolean {
  return LAUNCH_VERBS.has(verb.trim().toLowerCase())
}

function hasStatus({ network_requests }: OutcomeEvidence, ...statuses: readonly string[]): boolean {
  return network_requests?.some(({ status }) => statuses.includes(status)) ?? false
}

function isSuccess({ status }: NetworkEvidence[number]): boolean {
  return status === 'success'
}

/** The inputs in a fixed order, for the digest. */
function listInputs(evidence: OutcomeEvidence): unknown {
  const requests = evidence.network_requests?.map(({ endpoint, status }) => [endpoint, status]) ?? null
  return [
    evidence.verb.trim().toLowerCase(),
    evidence.effect,
    evidence.ui_changed,
    evidence.predicate,
    evidence.expected_element_visible,
    evidence.foreground_matches ?? null,
    requests,
    evidence.has_log_errors,
  ]
}
