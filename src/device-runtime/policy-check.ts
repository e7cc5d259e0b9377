import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeSummary } from '../screen/matcher.ts'
import { createPolicyGate } from '../knowledge/action-policy/policy-gate.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import { appendPolicyCheck, findExecutionPolicy } from '../store/devices/execution-policies.ts'

/** Returns why an action is refused, or undefined if it is admitted. */
type PolicyCheck = (
  action: Action,
  target?: NodeSummary,
) => { readonly code: string; readonly message: string } | undefined

/**
 * Builds the check that runs before each action of an execution and stores every decision. Returns undefined if the
 * execution has no policy. Once a decision could not be stored, every further action is refused.
 */
export function createPolicyCheck({ store, clock, log }: RunnerDeps, executionId: string): PolicyCheck | undefined {
  const policy = store.read((reader) => findExecutionPolicy(reader, executionId) ?? null)
  if (policy === null) return undefined
  const gate = createPolicyGate(policy, policy.start)
  let storeFailed = false
  return (action, target) => {
    const refusal = storeFailed ? NOT_RECORDED : gate(action, target)
    const check = {
      execution_id: executionId,
      action_id: action.id,
      action_type: action.type,
      target: target === undefined ? '' : describeTarget(target),
      admitted: refusal === undefined,
      reason: refusal?.message,
      created_at: clock().toISOString(),
    }
    store
      .write((tx) => {
        appendPolicyCheck(tx, check)
      })
      .catch((error: unknown) => {
        storeFailed = true
        log.error({ err: error, execution_id: executionId }, 'a policy check could not be stored')
      })
    return refusal
  }
}

const NOT_RECORDED = {
  code: 'TEST_POLICY_VIOLATION',
  message: 'Policy checks of this execution can no longer be recorded.',
} as const

const describeTarget = ({ label, content_desc, resource_id }: NodeSummary): string =>
  [...new Set([label, content_desc, resource_id])]
    .filter((text) => text !== '')
    .join(' | ')
    .slice(0, 500)
