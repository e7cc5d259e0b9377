import { ACTING_TYPES, type Action } from '@apprentice/contracts/devices/action.ts'
import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { OperationFailure } from '../../adb/operation-failure.ts'
import { TransportFailure } from '../../adb/transport-failure.ts'
import { assertAdmitted } from '../admission.ts'
import { deviceTroubleCode, deviceTroubleHint } from '../device-trouble.ts'
import type { EngineRun } from '../engine-run.ts'
import { type Guard, guardedBy } from './guards.ts'
import { inTheWay } from '../in-the-way.ts'
import { runAction } from '../actions/run-action.ts'
import { glance } from '../screen-reads.ts'
import { type StepEvidence, type StepNotes, openNotes } from '../step-evidence.ts'
import { OutOfTime, type StepData, StepFailure, refusedBy } from '../step-failure.ts'
import { type NavigationMark, lookAround } from '../actions/wait-for-navigation.ts'

/** A step's place among the others. */
export interface StepPlace {
  readonly previous: Action | undefined
  readonly next: Action | undefined
  readonly completed: readonly string[]
  /** How the screen this step waits for stood before the step before it. */
  readonly before: NavigationMark | undefined
}

export interface StepEnd {
  readonly result: StepResult
  readonly evidence: StepEvidence
  /** How the screen the next step waits for stood before this one. */
  readonly ahead: NavigationMark | undefined
  /** Why the execution ends here. */
  readonly stop?: { readonly errorCode: string; readonly hint?: string }
}

/** Does one step. Rejects only when the execution is aborted, or by a fault of our own. */
export async function runStep(run: EngineRun, action: Action, place: StepPlace): Promise<StepEnd> {
  const notes = openNotes(action)
  run.beginStep(action)
  let ahead: NavigationMark | undefined
  try {
    ahead = await lookAhead(run, place.next)
    const guard = await guardedBy(run, action)
    if (guard !== undefined) return { result: unneeded(run, action, guard), evidence: notes, ahead }
    if (ACTING_TYPES.has(action.type)) assertAdmitted(run)
    await lookBefore(run, action, notes)
    const context = { notes, previous: place.previous?.type, before: place.before }
    const data = await runAction(run, action, context)
    await lookAfter(run, action, notes)
    return { result: succeeded(run, action, { notes, data }), evidence: notes, ahead }
  } catch (error) {
    const { data, ...rest } = explain(error, { run, action, place })
    return failedStep(action, { ...rest, data: { ...data, ...dismissedBy(run) } }, notes)
  }
}

function succeeded(
  run: EngineRun,
  { id, type }: Action,
  { notes, data }: { readonly notes: StepNotes; readonly data: StepData },
): StepResult {
  const facts = {
    ...(notes.fallback !== undefined && { used_fallback: String(notes.fallback) }),
    ...dismissedBy(run),
  }
  const outcome = 'succeeded'
  return { id, actionType: type, success: true, outcome, data: { ...data, ...facts } }
}

/** Not done, and rightly so. */
function unneeded(run: EngineRun, { id, type }: Action, guard: Guard): StepResult {
  const data = { skipped_by: guard, ...dismissedBy(run) }
  return { id, actionType: type, success: true, outcome: 'skipped', data }
}

export function passedOver({ id, type }: Action): StepResult {
  return {
    id,
    actionType: type,
    success: true,
    outcome: 'skipped',
    data: { skipped_by: 'skip_to' },
  }
}

function dismissedBy({ dismissed }: EngineRun): StepData {
  return dismissed.length === 0 ? {} : { dismissed: dismissed.join(', ') }
}

/** The end of a step whose turn came after the time was used up. */
export function neverBegun(run: EngineRun, action: Action, place: StepPlace): StepEnd {
  return failedStep(action, outOfTime(new OutOfTime(), { run, action, place }), openNotes(action))
}

function failedStep({ id, type }: Action, { data, hint }: Explanation, notes: StepNotes): StepEnd {
  return {
    result: { id, actionType: type, success: false, outcome: 'failed', data },
    evidence: notes,
    ahead: undefined,
    stop: { errorCode: data.error, ...(hint !== undefined && { hint }) },
  }
}

export function skippedResult({ id, type }: Action): StepResult {
  return {
    id,
    actionType: type,
    success: false,
    outcome: 'skipped',
    data: { error: 'SKIPPED', message: 'An earlier step failed.' },
  }
}

/** Whether a screen was left can only be told by one who looked before the step that leaves it. */
async function lookAhead(
  run: EngineRun,
  next: Action | undefined,
): Promise<NavigationMark | undefined> {
  if (next?.type !== 'wait_for_navigation' || !next.params.requireTransition) return undefined
  return lookAround(run, next.params)
}

async function lookBefore(run: EngineRun, action: Action, notes: StepNotes): Promise<void> {
  const { captureEvidence, admit } = run.host
  const wanted = captureEvidence === true || (admit !== undefined && touchesPoint(action))
  if (!wanted || !isBlind(action)) return
  const reading = run.takeOffered() ?? (await glance(run))
  if (reading !== undefined) notes.before = reading
}

/** Changes the screen without having to look at it. */
function isBlind(action: Action): boolean {
  return (
    touchesPoint(action) || ['open_app', 'open_uri', 'close_app', 'press_key'].includes(action.type)
  )
}

function touchesPoint(action: Action): boolean {
  if (action.type === 'click') return action.params.coordinate !== undefined
  return action.type === 'swipe'
}

async function lookAfter(run: EngineRun, action: Action, notes: StepNotes): Promise<void> {
  if (run.host.captureEvidence !== true || !ACTING_TYPES.has(action.type)) return
  if (notes.after !== undefined) return
  const reading = await glance(run)
  if (reading !== undefined) notes.after = reading
}

interface Explanation {
  readonly data: StepData & { readonly error: string }
  readonly hint?: string
}

function explain(
  error: unknown,
  where: { readonly run: EngineRun; readonly action: Action; readonly place: StepPlace },
): Explanation {
  where.run.host.signal.throwIfAborted()
  if (error instanceof OutOfTime) return outOfTime(error, where)
  if (error instanceof TransportFailure) return deviceTrouble(error)
  const failure = error instanceof OperationFailure ? refusedBy(error) : error
  if (!(failure instanceof StepFailure)) throw error
  const { error: code, message } = failure
  return { data: { ...failure.data, ...inTheWay(failure), error: code, message } }
}

function deviceTrouble(failure: TransportFailure): Explanation {
  const data = {
    error: deviceTroubleCode(failure),
    message: failure.message,
    kind: failure.kind,
    retryable: String(failure.retryable),
    command_sent: String(failure.commandSent),
  }
  return { data, hint: deviceTroubleHint(failure) }
}

function outOfTime(
  { commandSent }: OutOfTime,
  where: { readonly run: EngineRun; readonly action: Action; readonly place: StepPlace },
): Explanation {
  const { run, action, place } = where
  const done = place.completed.length === 0 ? 'none' : place.completed.join(', ')
  const hint = `The time ran out in step ${action.id} (${action.type}); completed steps: ${done}.`
  const data = {
    error: 'RESULT_ENVELOPE_TIMEOUT',
    message: hint,
    current_step_id: action.id,
    completed_steps: JSON.stringify(place.completed),
    elapsed_ms: String(Math.round(run.elapsedMs())),
    timeout_ms: String(Math.round(run.host.timeoutMs)),
    command_sent: String(commandSent),
    ...(run.lastError !== undefined && { last_error: run.lastError }),
  }
  return { data, hint }
}
