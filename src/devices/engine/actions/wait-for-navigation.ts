import { resolveTarget } from '../../../screen/matcher.ts'
import type { ParamsOf } from './action-params.ts'
import type { EngineRun } from '../engine-run.ts'
import { retrying } from '../retrying.ts'
import { clearTheWay } from '../in-the-way.ts'
import type { Look, ScreenReading } from '../screen-reading.ts'
import { glance, treeUnavailable } from '../screen-reads.ts'
import type { StepNotes } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { noted } from '../target-lookup.ts'

type Navigation = ParamsOf<'wait_for_navigation'>

export interface NavigationMark {
  /** Whether the screen that is waited for is in front; unknown when it could not be read. */
  readonly there: boolean | undefined
  readonly package: string
  readonly fault?: Exclude<Look, { ok: true }>
  /** The screen without the node that is waited for. */
  readonly seen?: ScreenReading
}

/**
 * Waits until the expected app and node are in front. `before` is how it stood before the action that
 * leads there: with `requireTransition` the screen must have been another one at some time since.
 */
export function waitForNavigation(
  run: EngineRun,
  params: Navigation,
  context: { readonly before: NavigationMark | undefined; readonly notes: StepNotes },
): Promise<StepData> {
  return retrying(run, params.retry, () => waitOnce(run, params, context))
}

async function waitOnce(
  run: EngineRun,
  params: Navigation,
  { before, notes }: { readonly before: NavigationMark | undefined; readonly notes: StepNotes },
): Promise<StepData> {
  const startedMs = run.now()
  let left = !params.requireTransition || before?.there === false
  let readable = false
  for (;;) {
    const sight = await lookAround(run, params, notes)
    readable ||= sight.there !== undefined
    const elapsedMs = run.now() - startedMs
    if (sight.there === true && left) {
      return { resolved_package: sight.package, elapsed_ms: String(Math.round(elapsedMs)) }
    }
    left ||= sight.there === false
    if (sight.there !== true && (await clearedAround(run, sight))) continue
    if (elapsedMs >= params.timeoutMs) {
      const seen = sight.seen ?? (run.dismissals.any ? await glance(run) : undefined)
      throw timedOut(params, seen === undefined ? sight : { ...sight, seen }, readable)
    }
    run.lastError = 'NAVIGATION_TIMEOUT'
    await run.sleep(Math.min(POLL_MS, params.timeoutMs - elapsedMs))
  }
}

/** The screen is dumped only when a node is asked for and the app is the right one already. */
export async function lookAround(
  run: EngineRun,
  { expectedPackage, expectedNode }: Navigation,
  notes?: StepNotes,
): Promise<NavigationMark> {
  const wanted = (expectedPackage ?? '').trim()
  const front = await run.ask((driver, limits) => driver.foreground(limits))
  const name = front?.package ?? ''
  if (wanted !== '' && name !== wanted) return { there: false, package: name }
  if (expectedNode === undefined) return { there: true, package: name }
  const look = await run.look()
  if (!look.ok) return { there: undefined, package: name, fault: look }
  const { reading } = look
  const resolution = resolveTarget(reading.hierarchy, { matcher: expectedNode })
  if (resolution.kind === 'found' && notes !== undefined) {
    noted({ reading, ...resolution }, notes)
  }
  const there = resolution.kind === 'found'
  return { there, package: name || reading.package, ...(!there && { seen: reading }) }
}

/** Something known may lie over the screen that is waited for, also a window of another app. */
async function clearedAround(run: EngineRun, { seen }: NavigationMark): Promise<boolean> {
  if (!run.dismissals.any) return false
  const reading = seen ?? (await glance(run))
  return reading !== undefined && clearTheWay(run, reading)
}

const POLL_MS = 200

function timedOut(params: Navigation, sight: NavigationMark, readable: boolean): StepFailure {
  if (!readable && sight.fault !== undefined) return treeUnavailable(sight.fault)
  const moved = sight.there === true ? 'It was there all the time.' : 'It did not come in front.'
  return new StepFailure('NAVIGATION_TIMEOUT', moved, {
    retryable: true,
    seen: sight.seen,
    data: { last_package: sight.package, timeout_ms: String(params.timeoutMs) },
  })
}
