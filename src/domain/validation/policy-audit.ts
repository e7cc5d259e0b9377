import { ACTING_TYPES, type ActionType } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { ExecutionPolicy, PolicyCheck } from '../../store/devices/execution-policies.ts'

interface ExecutedSteps {
  readonly policy: ExecutionPolicy
  readonly results: readonly StepResult[]
  readonly checks: readonly PolicyCheck[]
}

/**
 * Checks after an execution whether an action was executed that the policy did not allow. An action that the policy
 * gate refused is only a failed test. A breach means that the gate itself failed, so the draft is quarantined.
 */
export function findBreach({ policy, results, checks }: ExecutedSteps): string | undefined {
  const executed = results.filter(wasExecuted)
  for (const { id } of executed) {
    const own = checks.filter(({ action_id }) => action_id === id)
    if (own.length === 0) return `Step ${id} was executed without a policy check.`
    if (own.some(({ admitted }) => !admitted)) return `Step ${id} was executed although the policy refused it.`
  }
  if (executed.length > 0 && policy.mode === 'dry_run_only') return 'Actions were executed under a dry-run policy.'
  const count = (policy.start?.count ?? 0) + executed.length
  return count > policy.max_actions
    ? `${count} steps were executed, but only ${policy.max_actions} are allowed.`
    : undefined
}

/** A step whose result already held, or that was skipped, did not act. */
function wasExecuted({ actionType, success, data }: StepResult): boolean {
  if (!ACTING_TYPES.has(actionType as ActionType)) return false
  return success && data['already'] !== 'true' && data['skipped_by'] === undefined
}
