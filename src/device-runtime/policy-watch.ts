import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeSummary } from '../screen/matcher.ts'
import { openGate } from '../knowledge/action-policy/policy-gate.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import { appendPolicyCheck, findExecutionPolicy } from '../store/devices/execution-policies.ts'

type Admit = (
  action: Action,
  target?: NodeSummary,
) => { readonly code: string; readonly message: string } | undefined

/**
 * Asks the policy an execution is bound to before each thing it does, and writes down what was asked and answered.
 * Undefined for an execution that is bound to none. When the notes cannot be kept, nothing more is let.
 */
export function watchPolicy(
  { store, clock, log }: RunnerDeps,
  executionId: string,
): Admit | undefined {
  const policy = store.read((reader) => findExecutionPolicy(reader, executionId) ?? null)
  if (policy === null) return undefined
  const gate = openGate(policy)
  let lost = false
  return (action, target) => {
    const refusal = lost ? unnoted : gate(action, target)
    const check = {
      execution_id: executionId,
      action_id: action.id,
      action_type: action.type,
      target: target === undefined ? '' : wordsOf(target),
      admitted: refusal === undefined,
      reason: refusal?.message,
      created_at: clock().toISOString(),
    }
    store
      .write((tx) => {
        appendPolicyCheck(tx, check)
      })
      .catch((error: unknown) => {
        lost = true
        log.error({ err: error, execution_id: executionId }, 'a policy check could not be kept')
      })
    return refusal
  }
}

const unnoted = {
  code: 'TEST_POLICY_VIOLATION',
  message: 'What was asked of the policy can no longer be kept.',
} as const

const wordsOf = ({ label, content_desc, resource_id }: NodeSummary): string =>
  [...new Set([label, content_desc, resource_id])]
    .filter((text) => text !== '')
    .join(' | ')
    .slice(0, 500)
