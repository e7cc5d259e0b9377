import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { OperationFailure } from '../../adb/operation-failure.ts'
import { TransportFailure } from '../../adb/transport-failure.ts'
import { assertAdmitted } from '../admission.ts'
import { describeAgreedAnchor } from '../agreed-anchor.ts'
import { toDeviceFailureCode, formatDeviceFailureHint } from '../device-failure.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { type Guard, findSkippingGuard } from './guards.ts'
import { describeObstruction } from '../obstruction.ts'
import { restoreLandmark } from '../actions/landmarks.ts'
import { type ActionContext, runAction } from './run-action.ts'
import { findReachedEndBelow, returnToReachedEnd } from './reach-end.ts'
import { repeatPress, wasLost } from './swallowed-press.ts'
import { tryReadScreen } from '../read-screen.ts'
import { type StepEvidence, type StepNotes, createNotes } from '../step-evidence.ts'
import { OutOfTime, type StepData, StepFailure, toStepFailure } from '../step-failure.ts'
import { type NavigationState, readNavigationState } from '../actions/wait-for-navigation.ts'

/** The neighbours of a step. */
export interface StepPosition {
  readonly previous: Action | undefined
  /** The next steps, in order. */
  readonly following: readonly Action[]
  readonly completed: readonly string[]
  /** The navigation state before the previous step, if this step waits for navigation. */
  readonly before: NavigationState | undefined
}

export interface StepOutcome {
  readonly result: StepResult
  readonly evidence: StepEvidence
  /** The navigation state before this step, if the next step waits for navigation. */
  readonly ahead: NavigationState | undefined
  /** Set if the execution ends with this step. */
  readonly stop?: { readonly errorCode: string; readonly hint?: string }
}

/** Runs one step. Rejects only if the execution is aborted or on an internal error. */
export async function runStep(
  execution: EngineExecution,
  action: Action,
  position: StepPosition,
): Promise<StepOutcome> {
  const notes = createNotes(action)
  const { following } = position
  execution.startStep(action, following)
  let ahead: NavigationState | undefined
  try {
    ahead = await readNavigationAhead(execution, following[0])
    const guard = await findSkippingGuard(execution, action)
    if (guard !== undefined) return { result: toGuardedResult(execution, action, guard), evidence: notes, ahead }
    if (ACTING_TYPES.has(action.type)) await assertAdmitted(execution)
    await readBefore(execution, action, notes)
    const context = { notes, previous: position.previous?.type, following, before: position.before }
    const data = await runRestoring(execution, { action, previous: position.previous }, context)
    await readAfter(execution, action, notes)
    return { result: toSuccessResult(execution, action, { notes, data }), evidence: notes, ahead }
  } catch (error) {
    const { data, ...rest } = explain(error, { execution, action, position })
    return toFailedStep(action, { ...rest, data: { ...data, ...toDismissedData(execution) } }, notes)
  }
}

/**
 * Runs an action, and again after each landmark that had to be restored because its target was missing. If the target is missing
 * because the outcome is there already, the execution continues with the claims about it. If the press before was lost,
 * that press is repeated.
 */
async function runRestoring(
  execution: EngineExecution,
  { action, previous }: { readonly action: Action; readonly previous: Action | undefined },
  context: ActionContext,
): Promise<StepData> {
  try {
    return await runAction(execution, action, context)
  } catch (error) {
    if (!(error instanceof StepFailure) || !isMissingTarget(error)) throw error
    const seen = error.seen ?? (await tryReadScreen(execution))
    if (seen !== undefined && previous !== undefined && wasLost(execution, seen, previous)) {
      await repeatPress(execution, previous, action)
      return { ...(await runAction(execution, action, context)), repeated: previous.id }
    }
    const reached = seen && (await returnToReachedEnd(execution, seen))
    if (reached !== undefined) return { already: 'true', skip_to: reached }
    const restored = seen && (await restoreLandmark(execution, seen))
    if (restored === undefined) {
      const below = seen && (await findReachedEndBelow(execution, seen))
      if (below === undefined) throw error
      return { already: 'true', skip_to: below }
    }
    // The page of a restored tab may have a filter of its own. Each landmark is restored once.
    return { restored, ...(await runRestoring(execution, { action, previous }, context)) }
  }
}

/** Nothing was touched: the target was not found, or an expected node is missing. */
function isMissingTarget({ error, data }: StepFailure): boolean {
  if (MISSING_ERRORS.has(error)) return true
  return error === 'VERIFY_FAILED' && data['observed'] === 'missing' && data['taken_back'] === undefined
}

const MISSING_ERRORS: ReadonlySet<string> = new Set([
  'NODE_NOT_FOUND',
  'TARGET_NOT_FOUND',
  'CONTAINER_NOT_FOUND',
  'CONTAINER_NOT_SCROLLABLE',
])

function toSuccessResult(
  execution: EngineExecution,
  { id, type }: Action,
  { notes, data }: { readonly notes: StepNotes; readonly data: StepData },
): StepResult {
  const facts = {
    ...toDriftData(notes),
    ...toDismissedData(execution),
  }
  const outcome = 'succeeded'
  return { id, actionType: type, success: true, outcome, data: { ...data, ...facts } }
}

/** The first way to find a node no longer works; others do. */
function toDriftData({ fallback, votes }: StepNotes): StepData {
  if (fallback === undefined) return {}
  return {
    used_fallback: String(fallback),
    drift: 'first_anchor_missing',
    ...(votes !== undefined && { drift_votes: String(votes) }),
  }
}

/** The result of a step that its guard skipped. */
function toGuardedResult(execution: EngineExecution, { id, type }: Action, guard: Guard): StepResult {
  const data = { skipped_by: guard, ...toDismissedData(execution) }
  return { id, actionType: type, success: true, outcome: 'skipped', data }
}

export function toPassedOverResult({ id, type }: Action): StepResult {
  return {
    id,
    actionType: type,
    success: true,
    outcome: 'skipped',
    data: { skipped_by: 'skip_to' },
  }
}

function toDismissedData({ dismissed }: EngineExecution): StepData {
  if (dismissed.length === 0) return {}
  return {
    dismissed: dismissed.map(({ label }) => label).join(', '),
    dismissed_by: dismissed.map(({ by }) => by).join(', '),
  }
}

/** The outcome of a step that was not started because the time limit had passed. */
export function toTimedOutStep(execution: EngineExecution, action: Action, position: StepPosition): StepOutcome {
  return toFailedStep(action, explainTimeout(new OutOfTime(), { execution, action, position }), createNotes(action))
}

function toFailedStep({ id, type }: Action, { data, hint }: Explanation, notes: StepNotes): StepOutcome {
  return {
    result: { id, actionType: type, success: false, outcome: 'failed', data },
    evidence: notes,
    ahead: undefined,
    stop: { errorCode: data.error, ...(hint !== undefined && { hint }) },
  }
}

export function toSkippedResult({ id, type }: Action): StepResult {
  return {
    id,
    actionType: type,
    success: false,
    outcome: 'skipped',
    data: { error: 'SKIPPED', message: 'Skipped because an earlier step failed.' },
  }
}

/** A required transition can only be detected with the state from before the step that causes it. */
async function readNavigationAhead(
  execution: EngineExecution,
  next: Action | undefined,
): Promise<NavigationState | undefined> {
  if (next?.type !== 'wait_for_navigation' || !next.params.requireTransition) return undefined
  return readNavigationState(execution, next.params)
}

async function readBefore(execution: EngineExecution, action: Action, notes: StepNotes): Promise<void> {
  const { captureEvidence, admit } = execution.host
  const isNeeded = captureEvidence === true || (admit !== undefined && touchesPoint(action))
  if (!isNeeded || !actsWithoutReading(action)) return
  const reading = execution.takeReusableReading() ?? (await tryReadScreen(execution))
  if (reading !== undefined) notes.before = reading
}

/** Whether the action changes the screen without reading it. */
function actsWithoutReading(action: Action): boolean {
  return (
    touchesPoint(action) || ['open_app', 'open_uri', 'close_app', 'press_key', 'set_orientation'].includes(action.type)
  )
}

function touchesPoint(action: Action): boolean {
  if (action.type === 'click') return action.params.coordinate !== undefined
  return action.type === 'swipe' && action.params.matcher === undefined
}

async function readAfter(execution: EngineExecution, action: Action, notes: StepNotes): Promise<void> {
  if (execution.host.captureEvidence !== true || !ACTING_TYPES.has(action.type)) return
  if (notes.after !== undefined) return
  const reading = await tryReadScreen(execution)
  if (reading !== undefined) notes.after = reading
}

interface Explanation {
  readonly data: StepData & { readonly error: string }
  readonly hint?: string
}

function explain(
  error: unknown,
  where: {
    readonly execution: EngineExecution
    readonly action: Action
    readonly position: StepPosition
  },
): Explanation {
  where.execution.host.signal.throwIfAborted()
  if (error instanceof OutOfTime) return explainTimeout(error, where)
  if (error instanceof TransportFailure) return explainDeviceFailure(error)
  const failure = error instanceof OperationFailure ? toStepFailure(error) : error
  if (!(failure instanceof StepFailure)) throw error
  const { error: code, message } = failure
  const anchor = isMissingTarget(failure)
    ? describeAgreedAnchor(failure, where.action, where.position.following[0])
    : {}
  return { data: { ...failure.data, ...describeObstruction(failure), ...anchor, error: code, message } }
}

function explainDeviceFailure(failure: TransportFailure): Explanation {
  const data = {
    error: toDeviceFailureCode(failure),
    message: failure.message,
    kind: failure.kind,
    retryable: String(failure.retryable),
    command_sent: String(failure.commandSent),
  }
  return { data, hint: formatDeviceFailureHint(failure) }
}

function explainTimeout(
  { commandSent }: OutOfTime,
  where: {
    readonly execution: EngineExecution
    readonly action: Action
    readonly position: StepPosition
  },
): Explanation {
  const { execution, action, position } = where
  const done = position.completed.length === 0 ? 'none' : position.completed.join(', ')
  const hint = `The time ran out in step ${action.id} (${action.type}); completed steps: ${done}.`
  const data = {
    error: 'RESULT_ENVELOPE_TIMEOUT',
    message: hint,
    current_step_id: action.id,
    completed_steps: JSON.stringify(position.completed),
    elapsed_ms: String(Math.round(execution.elapsedMs())),
    timeout_ms: String(Math.round(execution.host.timeoutMs)),
    command_sent: String(commandSent),
    ...(execution.lastError !== undefined && { last_error: execution.lastError }),
  }
  return { data, hint }
}
