import { ACTING_TYPES, isActionType } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { ExecutionState } from '@apprentice/contracts/devices/executions.ts'
import type {
  AbilityRunState,
  RunFailure,
  RunVerification,
} from '@apprentice/contracts/abilities/runs.ts'

/** Which step of the recipe an action of the execution stands for. */
export interface PlannedAction {
  readonly action_id: string
  readonly step_id: string
  readonly checkpoint_id?: string
  readonly verification?: true
  readonly confirm?: true
}

/** Reasons for which what a touch did is unknown: the way to the device failed, not the device. */
const unknownEffects: ReadonlySet<string> = new Set([
  'DEVICE_LOST',
  'DEVICE_TIMEOUT',
  'DEVICE_OFFLINE',
  'ADB_SERVER_FAILED',
  'RESULT_ENVELOPE_TIMEOUT',
  'EXECUTION_INTERRUPTED',
  'VERIFY_INDETERMINATE',
  'INTERNAL_ERROR',
])

export interface EndedExecution {
  readonly state: ExecutionState
  readonly step_results: readonly StepResult[]
  readonly error_code?: string | undefined
  readonly error?: string | undefined
}

/** Types that move about without touching what the app keeps. */
const movingAbout: ReadonlySet<string> = new Set(['open_app', 'close_app', 'scroll'])

/** Something was touched; what a guard or the wanted state made needless was not. */
export function hasActed({ success, actionType, data }: StepResult): boolean {
  if (!success || movingAbout.has(actionType)) return false
  if (!isActionType(actionType) || !ACTING_TYPES.has(actionType)) return false
  if (actionType === 'scroll_until' && data['coordinate'] === undefined) return false
  return data['skipped_by'] === undefined && data['already'] !== 'true'
}

export function verificationOf(
  plan: readonly PlannedAction[],
  results: readonly StepResult[],
): RunVerification[] {
  return plan
    .filter(({ verification }) => verification === true)
    .map(({ action_id, step_id }) => {
      const result = results.find(({ id }) => id === action_id)
      const held = result === undefined ? undefined : heldOf(result)
      const observed = result?.data['observed'] ?? result?.data['text']
      return {
        verification_id: step_id,
        ...(held === undefined ? {} : { held }),
        ...(observed === undefined ? {} : { observed: observed.slice(0, 512) }),
      }
    })
}

/** A check that was not made proves nothing. */
function heldOf({ success, data, outcome }: StepResult): boolean | undefined {
  if (outcome === 'skipped' || data['skipped_by'] !== undefined) return undefined
  if (success) return true
  return data['error'] === 'VERIFY_FAILED' ? false : undefined
}

/** Success is only what the device itself showed at the end. */
export function stateOf(
  plan: readonly PlannedAction[],
  ended: EndedExecution,
): Extract<AbilityRunState, 'success' | 'failed' | 'indeterminate' | 'cancelled'> {
  const checks = verificationOf(plan, ended.step_results)
  const proved = checks.length > 0 && checks.every(({ held }) => held === true)
  if (ended.state === 'succeeded') return proved ? 'success' : 'indeterminate'
  const acted = ended.step_results.some(hasActed) || mayHaveTouched(ended)
  if (ended.state === 'cancelled') return acted ? 'indeterminate' : 'cancelled'
  if (ended.state === 'interrupted') return 'indeterminate'
  const unknown = unknownEffects.has(failedStep(ended)?.data['error'] ?? ended.error_code ?? '')
  return unknown && acted ? 'indeterminate' : 'failed'
}

/** The step that failed, if one did. */
export const failedStep = ({ step_results }: EndedExecution): StepResult | undefined =>
  step_results.find(({ success, outcome }) => !success && outcome !== 'skipped')

/** A touch whose command was sent may have landed, whatever became of the answer. */
const mayHaveTouched = (ended: EndedExecution): boolean =>
  failedStep(ended)?.data['command_sent'] === 'true'

export function troubleOf(
  plan: readonly PlannedAction[],
  ended: EndedExecution,
): RunFailure | undefined {
  const state = stateOf(plan, ended)
  if (state === 'success') return undefined
  const failed = failedStep(ended)
  if (failed === undefined) {
    const code = ended.error_code ?? 'NOT_VERIFIED'
    const message =
      ended.error ?? 'Every step was done, but nothing on the device proves the outcome.'
    return { code, message: message.slice(0, 500) }
  }
  const { candidates, in_the_way, observed, message } = failed.data
  const planned = plan.find(({ action_id }) => action_id === failed.id)
  const checkpoint_id = nextCheckpoint(plan, failed.id)
  return {
    code: failed.data['error'] ?? ended.error_code ?? 'STEP_FAILED',
    message: (message ?? ended.error ?? 'The step failed.').slice(0, 500),
    step_id: planned?.step_id ?? failed.id,
    ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
    ...(candidates === undefined ? {} : { candidates: candidates.slice(0, 8000) }),
    ...(in_the_way === undefined ? {} : { in_the_way: in_the_way.slice(0, 512) }),
    ...(observed === undefined ? {} : { observed: observed.slice(0, 512) }),
  }
}

/** The first state from this action on that was to be reached. */
export function nextCheckpoint(
  plan: readonly PlannedAction[],
  actionId: string,
): string | undefined {
  const at = plan.findIndex(({ action_id }) => action_id === actionId)
  return plan.slice(Math.max(at, 0)).find(({ checkpoint_id }) => checkpoint_id !== undefined)
    ?.checkpoint_id
}
