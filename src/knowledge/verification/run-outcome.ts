import { ACTING_TYPES, isActionType } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { ExecutionState } from '@apprentice/contracts/devices/executions.ts'
import type { AbilityRunState, RunFailure, RunVerification } from '@apprentice/contracts/abilities/runs.ts'

/** The step of the recipe that an action of the execution belongs to. */
export interface PlannedAction {
  readonly action_id: string
  readonly step_id: string
  readonly checkpoint_id?: string
  readonly verification?: true
  readonly passing?: true
  readonly told?: true
  readonly confirm?: true
}

/** Errors after which the effect of a touch is unknown, because the connection or the process failed. */
const UNKNOWN_EFFECT_CODES: ReadonlySet<string> = new Set([
  'DEVICE_LOST',
  'DEVICE_TIMEOUT',
  'DEVICE_OFFLINE',
  'ADB_SERVER_FAILED',
  'RESULT_ENVELOPE_TIMEOUT',
  'EXECUTION_INTERRUPTED',
  'VERIFY_INDETERMINATE',
  'INTERNAL_ERROR',
])

export interface SettledExecution {
  readonly state: ExecutionState
  readonly step_results: readonly StepResult[]
  readonly error_code?: string | undefined
  readonly error?: string | undefined
}

/** Types that navigate without changing data of the app. */
const NAVIGATION_TYPES: ReadonlySet<string> = new Set(['open_app', 'close_app', 'scroll'])

/** Whether a step touched something. A step skipped by a guard or because the state was already reached did not. */
export function hasActed({ success, actionType, data }: StepResult): boolean {
  if (!success || NAVIGATION_TYPES.has(actionType)) return false
  if (!isActionType(actionType) || !ACTING_TYPES.has(actionType)) return false
  if (actionType === 'scroll_until' && data['coordinate'] === undefined) return false
  return data['skipped_by'] === undefined && data['already'] !== 'true'
}

export function readVerifications(plan: readonly PlannedAction[], results: readonly StepResult[]): RunVerification[] {
  return plan
    .filter(({ verification }) => verification === true)
    .map(({ action_id, step_id }) => {
      const result = results.find(({ id }) => id === action_id)
      const held = result === undefined ? undefined : readHeld(result)
      const observed = result?.data['observed'] ?? result?.data['text']
      return {
        verification_id: step_id,
        ...(held === undefined ? {} : { held }),
        ...(observed === undefined ? {} : { observed: observed.slice(0, 512) }),
      }
    })
}

/** Undefined if the check was not made. */
function readHeld({ success, data, outcome }: StepResult): boolean | undefined {
  if (outcome === 'skipped' || data['skipped_by'] !== undefined) return undefined
  if (success) return true
  return data['error'] === 'VERIFY_FAILED' ? false : undefined
}

/**
 * A run is successful only if its verification held on the device. A message alone is no outcome: it says what the app
 * meant to do, and what it did may be taken back. A text that stays when messages are gone is a state.
 */
export function decideRunState(
  plan: readonly PlannedAction[],
  settled: SettledExecution,
): Extract<AbilityRunState, 'success' | 'failed' | 'indeterminate' | 'cancelled'> {
  const checks = readVerifications(plan, settled.step_results)
  const lasted = new Set(settled.step_results.flatMap(({ id, data }) => (data['lasted'] === 'true' ? [id] : [])))
  const isAboutState = plan.some(
    ({ verification, passing, action_id }) => verification === true && (passing !== true || lasted.has(action_id)),
  )
  const verified = isAboutState && checks.every(({ held }) => held === true)
  if (settled.state === 'succeeded') return verified ? 'success' : 'indeterminate'
  const acted = settled.step_results.some(hasActed) || mayHaveTouched(settled)
  if (settled.state === 'cancelled') return acted ? 'indeterminate' : 'cancelled'
  if (settled.state === 'interrupted') return 'indeterminate'
  const unknown = UNKNOWN_EFFECT_CODES.has(findFailedStep(settled)?.data['error'] ?? settled.error_code ?? '')
  return (unknown && acted) || isLostAfterMessage(plan, settled) ? 'indeterminate' : 'failed'
}

/**
 * The app said that the work is done, and the run did not find where that is shown: no screen of the demonstration showed
 * it either. What is found and says the opposite is a failure.
 */
function isLostAfterMessage(plan: readonly PlannedAction[], settled: SettledExecution): boolean {
  const told = new Set(plan.flatMap(({ action_id, told: isTold }) => (isTold === true ? [action_id] : [])))
  if (!settled.step_results.some(({ id, outcome }) => told.has(id) && outcome === 'succeeded')) return false
  const { error = '', observed, taken_back } = findFailedStep(settled)?.data ?? {}
  return MISSING_CODES.has(error) || (error === 'VERIFY_FAILED' && observed === 'missing' && taken_back === undefined)
}

const MISSING_CODES: ReadonlySet<string> = new Set(['NODE_NOT_FOUND', 'TARGET_NOT_FOUND', 'CONTAINER_NOT_FOUND'])

/** The first failed step. */
export const findFailedStep = ({ step_results }: SettledExecution): StepResult | undefined =>
  step_results.find(({ success, outcome }) => !success && outcome !== 'skipped')

/** A touch may have taken effect if its command was sent, even without an answer. */
const mayHaveTouched = (settled: SettledExecution): boolean => findFailedStep(settled)?.data['command_sent'] === 'true'

/** Whether an execution may have changed something. One that has not ended, or was interrupted, may. */
export function mayHaveActed(execution: SettledExecution): boolean {
  if (execution.state === 'queued' || execution.state === 'running' || execution.state === 'interrupted') return true
  return execution.step_results.some(hasActed) || mayHaveTouched(execution)
}

export function describeFailure(plan: readonly PlannedAction[], settled: SettledExecution): RunFailure | undefined {
  const state = decideRunState(plan, settled)
  if (state === 'success') return undefined
  const failed = findFailedStep(settled)
  if (failed === undefined) {
    const code = settled.error_code ?? 'NOT_VERIFIED'
    const message = settled.error ?? 'All steps succeeded, but the outcome was not verified on the device.'
    return { code, message: message.slice(0, 500) }
  }
  const { candidates, in_the_way, observed, message } = failed.data
  const planned = plan.find(({ action_id }) => action_id === failed.id)
  const checkpoint_id = findNextCheckpoint(plan, failed.id)
  return {
    code: failed.data['error'] ?? settled.error_code ?? 'STEP_FAILED',
    message: (message ?? settled.error ?? 'The step failed.').slice(0, 500),
    step_id: planned?.step_id ?? failed.id,
    ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
    ...(candidates === undefined ? {} : { candidates: candidates.slice(0, 8000) }),
    ...(in_the_way === undefined ? {} : { in_the_way: in_the_way.slice(0, 512) }),
    ...(observed === undefined ? {} : { observed: observed.slice(0, 512) }),
  }
}

/** The first checkpoint at or after this action. */
export function findNextCheckpoint(plan: readonly PlannedAction[], actionId: string): string | undefined {
  const at = plan.findIndex(({ action_id }) => action_id === actionId)
  return plan.slice(Math.max(at, 0)).find(({ checkpoint_id }) => checkpoint_id !== undefined)?.checkpoint_id
}
