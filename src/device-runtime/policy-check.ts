import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { AdmissionTarget } from '../devices/engine/engine-host.ts'
import { hasConsent, listAppliedProfiles } from '../domain/policies/applied-policy.ts'
import { createPolicyGate } from '../knowledge/action-policy/policy-gate.ts'
import { decideTouch, judgesTouches } from '../knowledge/recipes/policy/decide-policy.ts'
import type { RunnerDeps } from '../jobs/runner.ts'
import { findJob } from '../store/command/jobs.ts'
import { appendPolicyCheck, findExecutionPolicy } from '../store/devices/execution-policies.ts'

/** Returns why an action is refused, or undefined if it is admitted. */
type PolicyCheck = (
  action: Action,
  target?: AdmissionTarget,
) => { readonly code: string; readonly message: string } | undefined

/**
 * Builds the check that runs before each action of an execution: its test policy, then the profiles of the operator.
 * Returns undefined if neither can refuse an action.
 */
export function createPolicyCheck(deps: RunnerDeps, executionId: string): PolicyCheck | undefined {
  const checks = [createProfileCheck(deps, executionId), createTestPolicyCheck(deps, executionId)]
  const active = checks.filter((check) => check !== undefined)
  if (active.length === 0) return undefined
  return (action, target) => {
    for (const check of active) {
      const refusal = check(action, target)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }
}

/** Judges each touch by the app and the words on the screen. What the actions name was judged before the start. */
function createProfileCheck({ store }: RunnerDeps, executionId: string): PolicyCheck | undefined {
  const { profiles, consent } = store.read((reader) => {
    const authority = findJob(reader, executionId)?.authority
    return { profiles: listAppliedProfiles(reader, authority), consent: hasConsent(authority) }
  })
  if (!judgesTouches(profiles, consent)) return undefined
  return (_action, target) => {
    if (target === undefined) return undefined
    const { label, content_desc } = target
    const decision = decideTouch(profiles, { package: target.package, texts: [label, content_desc] }, consent)
    return decision.allowed ? undefined : decision
  }
}

/** Stores every decision. Once a decision could not be stored, every further action is refused. */
function createTestPolicyCheck({ store, clock, log }: RunnerDeps, executionId: string): PolicyCheck | undefined {
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

const describeTarget = ({ label, content_desc, resource_id }: AdmissionTarget): string =>
  [...new Set([label, content_desc, resource_id])]
    .filter((text) => text !== '')
    .join(' | ')
    .slice(0, 500)
