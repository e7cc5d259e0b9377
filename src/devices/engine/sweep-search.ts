import { loadingState } from '../screen/loading.ts'
import { type Target, onScreenNodes, resolveTarget, windowOf } from '../screen/matcher.ts'
import { resolveScrollContainer } from '../screen/scroll-container.ts'
import type { EngineRun } from './engine-run.ts'
import type { ScreenReading } from './screen-reading.ts'
import { readScreen } from './screen-reads.ts'
import { type Sweep, type Swept, nameOf, noContainer, sweepOnce } from './sweeping.ts'
import { type FoundNode, unresolved } from './target-lookup.ts'

export interface SearchPlan {
  readonly sweep: Sweep
  /** Absent: sweeps to the end. */
  readonly target?: Target | undefined
  readonly maxSweeps: number
  readonly maxDurationMs: number
  /** So many sweeps in a row that move nothing end the search. */
  readonly stillLimit: number
}

/** `EDGE_REACHED`: it moved, then no more. `NO_POSITION_CHANGE`: it never moved at all. */
export type SearchReason =
  | 'TARGET_FOUND'
  | 'EDGE_REACHED'
  | 'MAX_SCROLLS_REACHED'
  | 'MAX_DURATION_REACHED'
  | 'NO_POSITION_CHANGE'
  | 'CONTAINER_NOT_FOUND'
  | 'CONTAINER_NOT_SCROLLABLE'
  | 'CONTAINER_LOST'

export interface SearchEnd {
  readonly reason: SearchReason
  readonly sweeps: number
  /** The screen before the first sweep, and as it is now. */
  readonly first: ScreenReading
  readonly last: ScreenReading
  readonly found: FoundNode | undefined
  readonly container: string | undefined
}

/** Sweeps a container until the target is seen or there is a reason to stop. */
export async function searchBySweeping(run: EngineRun, plan: SearchPlan): Promise<SearchEnd> {
  const startedMs = run.now()
  const first = await firstLook(run, plan)
  const tally = { sweeps: 0, still: 0, everMoved: false }
  let last = first
  let container: string | undefined
  const end = (reason: SearchReason, found?: FoundNode): SearchEnd => {
    return { reason, sweeps: tally.sweeps, first, last, found, container }
  }
  for (;;) {
    const found = targetOn(last, plan)
    if (found !== undefined) return end('TARGET_FOUND', found)
    if (tally.sweeps >= plan.maxSweeps) return end('MAX_SCROLLS_REACHED')
    if (run.now() - startedMs >= plan.maxDurationMs) return end('MAX_DURATION_REACHED')
    const resolved = resolveScrollContainer(last.hierarchy, plan.sweep)
    if (resolved.kind !== 'found') {
      if (resolved.error === 'CONTAINER_AMBIGUOUS') throw noContainer(resolved.error)
      return end(tally.sweeps > 0 ? 'CONTAINER_LOST' : resolved.error)
    }
    container = nameOf(resolved.node)
    const swept = await sweepOnce(run, resolved.node, plan.sweep)
    last = swept.reading
    const stop = reasonToStop(swept, tally, plan)
    if (stop === undefined && !isLoading(last)) continue
    last = await graceLooks(run, last, plan)
    const late = targetOn(last, plan)
    if (stop !== undefined) return end(late === undefined ? stop : 'TARGET_FOUND', late)
  }
}

/** The look of the step before will do if the target is on it already. */
async function firstLook(run: EngineRun, plan: SearchPlan): Promise<ScreenReading> {
  const offered = run.takeOffered()
  if (offered !== undefined && targetOn(offered, plan) !== undefined) return offered
  return readScreen(run)
}

function targetOn(reading: ScreenReading, { target }: SearchPlan): FoundNode | undefined {
  if (target === undefined) return undefined
  const resolution = resolveTarget(reading.hierarchy, target)
  if (resolution.kind === 'found') return { reading, node: resolution.node }
  if (resolution.kind === 'ambiguous') throw unresolved(resolution, reading)
  return undefined
}

function reasonToStop(
  { outcome }: Swept,
  tally: { sweeps: number; still: number; everMoved: boolean },
  { stillLimit }: SearchPlan,
): SearchReason | undefined {
  tally.sweeps += 1
  tally.still = outcome === 'still' ? tally.still + 1 : 0
  tally.everMoved ||= outcome === 'moved'
  if (outcome === 'lost') return 'CONTAINER_LOST'
  if (tally.still < stillLimit) return undefined
  return tally.everMoved ? 'EDGE_REACHED' : 'NO_POSITION_CHANGE'
}

/** Content may come late: a few more looks while the screen is loading, and before giving up. */
async function graceLooks(
  run: EngineRun,
  reading: ScreenReading,
  plan: SearchPlan,
): Promise<ScreenReading> {
  const pauseMs = Math.min(500, Math.max(100, plan.sweep.settleDelayMs / 2))
  let last = reading
  for (let look = 0; look < GRACE_LOOKS; look += 1) {
    if (plan.target === undefined || targetOn(last, plan) !== undefined) return last
    await run.sleep(pauseMs)
    last = await readScreen(run)
  }
  return last
}

const GRACE_LOOKS = 3

function isLoading({ hierarchy }: ScreenReading): boolean {
  return loadingState(onScreenNodes(hierarchy.roots, windowOf(hierarchy))) !== null
}
