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
  /** Null only where an action of unknown kind is judged; the daemon knows its own. */
  readonly effect: Effect | null
  /** The fingerprint or the activity changed after the action. */
  readonly ui_changed: boolean
  readonly predicate: Predicate
  readonly expected_element_visible: boolean | null
  /** Of a launch: whether the launched app is in front. */
  readonly foreground_matches?: boolean | null | undefined
  /** Null when none was collected, which is not the same as none seen. */
  readonly network_requests: NetworkEvidence | null
  readonly has_log_errors: boolean | null
}

const CLASSIFICATION_VERSION = 1

/**
 * What came of an action, by the first rule that holds. It supplements an expectation and never replaces
 * one; logs never change it.
 */
export function classifyOutcome(evidence: OutcomeEvidence): Classification {
  const rule = RULES.find(({ holds }) => holds(evidence))
  if (rule === undefined) throw new Error('The last rule always holds.')
  const logs =
    rule.outcome === 'no_op' && evidence.has_log_errors === true
      ? ' The log holds errors from the same time.'
      : ''
  return {
    outcome: rule.outcome,
    rule_id: rule.id,
    table_version: CLASSIFICATION_VERSION,
    inputs_digest: createHash('sha256')
      .update(JSON.stringify(inputsOf(evidence)))
      .digest('hex'),
    reasoning: `${rule.says}${logs}`,
  }
}

interface Rule {
  readonly id: string
  readonly outcome: ActionOutcome
  readonly holds: (evidence: OutcomeEvidence) => boolean
  readonly says: string
}

const RULES: readonly Rule[] = [
  {
    id: 'expected_state_holds',
    outcome: 'success',
    holds: (seen) => expectation(seen) === 'true',
    says: 'The expected state was observed.',
  },
  {
    id: 'changed_without_expectation',
    outcome: 'success',
    holds: (seen) => seen.ui_changed && expectation(seen) === 'none',
    says: 'The screen changed and nothing more was expected.',
  },
  {
    id: 'request_failed',
    outcome: 'backend_failure',
    holds: (seen) => hasStatus(seen, 'failure', 'retryable'),
    says: 'A request of this action failed.',
  },
  {
    id: 'changed_otherwise',
    outcome: 'changed_unverified',
    holds: (seen) => seen.ui_changed,
    says: 'The screen changed, but not to the expected state.',
  },
  {
    id: 'effect_unknown',
    outcome: 'unknown',
    holds: ({ effect }) => effect === null,
    says: 'It is not known what the action should do.',
  },
  {
    id: 'local_without_change',
    outcome: 'no_op',
    holds: ({ effect }) => effect === 'local_state',
    says: 'Nothing visible happened. Check the state more closely or find the element again.',
  },
  {
    id: 'launch_without_foreground',
    outcome: 'unknown',
    holds: (seen) => isLaunch(seen) && expectation(seen) === 'none',
    says: 'A launch is decided by the app in front, which was not looked at.',
  },
  {
    id: 'network_not_collected',
    outcome: 'unknown',
    holds: ({ network_requests }) => network_requests === null,
    says: 'Nothing visible happened and requests were not looked at.',
  },
  {
    id: 'no_request',
    outcome: 'no_op',
    holds: ({ network_requests }) => network_requests?.length === 0,
    says: 'Nothing visible happened and nothing was requested.',
  },
  {
    id: 'requests_without_change',
    outcome: 'ui_failure',
    holds: ({ network_requests }) => network_requests?.every(isSuccess) ?? false,
    says: 'All requests succeeded and the screen did not follow.',
  },
  {
    id: 'undecided',
    outcome: 'unknown',
    holds: () => true,
    says: 'The evidence does not decide.',
  },
]

/** One word for everything that was expected: an explicit check, the app in front, a visible element. */
function expectation(seen: OutcomeEvidence): Predicate {
  if (seen.predicate !== 'none') return seen.predicate
  const checks = isLaunch(seen)
    ? [seen.foreground_matches ?? null, seen.expected_element_visible]
    : [seen.expected_element_visible]
  const given = checks.filter((check) => check !== null)
  if (given.length === 0) return 'none'
  return given.every(Boolean) ? 'true' : 'false'
}

const LAUNCHES = new Set(['open_app', 'start_app', 'restart_app'])

function isLaunch({ verb }: OutcomeEvidence): boolean {
  return LAUNCHES.has(verb.trim().toLowerCase())
}

function hasStatus({ network_requests }: OutcomeEvidence, ...statuses: readonly string[]): boolean {
  return network_requests?.some(({ status }) => statuses.includes(status)) ?? false
}

function isSuccess({ status }: NetworkEvidence[number]): boolean {
  return status === 'success'
}

/** In one order, whatever the order of the caller's keys. */
function inputsOf(seen: OutcomeEvidence): unknown {
  const requests = seen.network_requests?.map(({ endpoint, status }) => [endpoint, status]) ?? null
  return [
    seen.verb.trim().toLowerCase(),
    seen.effect,
    seen.ui_changed,
    seen.predicate,
    seen.expected_element_visible,
    seen.foreground_matches ?? null,
    requests,
    seen.has_log_errors,
  ]
}
