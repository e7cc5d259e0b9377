import { resolveTarget } from '../../../screen/matcher.ts'
import type { ActionParams } from './action-params.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { withRetry } from '../retry.ts'
import { dismissObstruction } from '../obstruction.ts'
import type { ScreenReadResult, ScreenReading } from '../screen-reading.ts'
import { tryReadScreen, toTreeFailure } from '../read-screen.ts'
import type { StepNotes } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { recordTarget } from '../target-lookup.ts'

type Navigation = ActionParams<'wait_for_navigation'>

export interface NavigationState {
  /** Whether the expected screen is in front. Undefined if the screen could not be read. */
  readonly there: boolean | undefined
  readonly package: string
  readonly fault?: Exclude<ScreenReadResult, { ok: true }>
  /** The screen, if the expected node is missing. */
  readonly seen?: ScreenReading
}

/**
 * Waits until the expected app and node are in front. `before` is the state before the previous action.
 * With `requireTransition` another screen must have been in front since then.
 */
export function waitForNavigation(
  execution: EngineExecution,
  params: Navigation,
  context: { readonly before: NavigationState | undefined; readonly notes: StepNotes },
): Promise<StepData> {
  return withRetry(execution, params.retry, () => waitOnce(execution, params, context))
}

async function waitOnce(
  execution: EngineExecution,
  params: Navigation,
  { before, notes }: { readonly before: NavigationState | undefined; readonly notes: StepNotes },
): Promise<StepData> {
  const startedMs = execution.now()
  let hasLeft = !params.requireTransition || before?.there === false
  let readable = false
  let nextLookMs = UNKNOWN_WINDOW_MS
  for (;;) {
    const state = await readNavigationState(execution, params, notes)
    readable ||= state.there !== undefined
    const elapsedMs = execution.now() - startedMs
    if (state.there === true && hasLeft) {
      return { resolved_package: state.package, elapsed_ms: String(Math.round(elapsedMs)) }
    }
    hasLeft ||= state.there === false
    const isLate = elapsedMs >= Math.min(nextLookMs, params.timeoutMs)
    if (isLate) nextLookMs = elapsedMs + UNKNOWN_WINDOW_MS
    if (state.there !== true && (await dismissNavigationObstruction(execution, state, isLate))) continue
    if (elapsedMs >= params.timeoutMs) {
      const seen = state.seen ?? (await tryReadScreen(execution))
      throw toTimeoutFailure(params, seen === undefined ? state : { ...state, seen }, readable)
    }
    execution.lastError = 'NAVIGATION_TIMEOUT'
    await execution.sleep(Math.min(POLL_MS, params.timeoutMs - elapsedMs))
  }
}

/** Reads the screen only if a node is expected and the expected app is in front. */
export async function readNavigationState(
  execution: EngineExecution,
  { expectedPackage, expectedNode }: Navigation,
  notes?: StepNotes,
): Promise<NavigationState> {
  const packageName = (expectedPackage ?? '').trim()
  const front = await execution.query((driver, limits) => driver.foreground(limits))
  const name = front?.package ?? ''
  if (packageName !== '' && name !== packageName) return { there: false, package: name }
  if (expectedNode === undefined) return { there: true, package: name }
  const result = await execution.dumpScreen()
  if (!result.ok) return { there: undefined, package: name, fault: result }
  const { reading } = result
  const resolution = resolveTarget(reading.hierarchy, { matcher: expectedNode })
  if (resolution.kind === 'found' && notes !== undefined) {
    recordTarget({ reading, ...resolution }, notes)
  }
  const there = resolution.kind === 'found'
  return { there, package: name || reading.package, ...(!there && { seen: reading }) }
}

/** Something may cover the expected screen. It can be a window of another app. Unknown windows get time to close. */
async function dismissNavigationObstruction(
  execution: EngineExecution,
  { seen }: NavigationState,
  isLate: boolean,
): Promise<boolean> {
  if (!execution.dismissals.any && !isLate) return false
  const reading = seen ?? (await tryReadScreen(execution))
  return reading !== undefined && dismissObstruction(execution, reading)
}

const POLL_MS = 200
const UNKNOWN_WINDOW_MS = 1000

function toTimeoutFailure(params: Navigation, state: NavigationState, readable: boolean): StepFailure {
  if (!readable && state.fault !== undefined) return toTreeFailure(state.fault)
  const message =
    state.there === true
      ? 'The expected screen was in front all the time.'
      : 'The expected screen did not come to the front.'
  return new StepFailure('NAVIGATION_TIMEOUT', message, {
    retryable: true,
    seen: state.seen,
    data: { last_package: state.package, timeout_ms: String(params.timeoutMs) },
  })
}
