import { ACTING_TYPES, type ActionType } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import type { PolicyCheck } from '../../store/devices/execution-policies.ts'

interface Done {
  readonly policy: TestPolicy
  readonly results: readonly StepResult[]
  readonly checks: readonly PolicyCheck[]
}

/**
 * Looks afterwards whether anything was done that the policy did not allow: not whether it was stopped, which is
 * a failed test, but whether it got through. What it finds is a fault in the guarding, so the draft is taken
 * out of circulation until somebody has looked.
 */
export function findBreach({ policy, results, checks }: Done): string | undefined {
  const done = results.filter(wasDone)
  for (const { id } of done) {
    const own = checks.filter(({ action_id }) => action_id === id)
    if (own.length === 0) return `Step ${id} was done without being asked about.`
    if (own.some(({ admitted }) => !admitted)) return `Step ${id} was done though it was refused.`
  }
  if (done.length > 0 && policy.mode === 'dry_run_only') return 'Something was done at all.'
  return done.length > policy.max_actions
    ? `${done.length} steps were done, and ${policy.max_actions} were allowed.`
    : undefined
}

/** A step that found its work done already, or was not to be done, touched nothing. */
function wasDone({ actionType, success, data }: StepResult): boolean {
  if (!ACTING_TYPES.has(actionType as ActionType)) return false
  return success && data['already'] !== 'true' && data['skipped_by'] === undefined
}
