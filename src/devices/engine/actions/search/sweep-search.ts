import type { Direction } from '@apprentice/contracts/devices/action.ts'
import { readDialogText } from '../../../../screen/dialog.ts'
import { type Target, resolveTarget } from '../../../../screen/matcher.ts'
import type { EngineExecution } from '../../engine-execution.ts'
import { dismissObstruction } from '../../obstruction.ts'
import { planNudge } from './into-view.ts'
import { LoadingWait, isLoading } from '../../loading-wait.ts'
import type { FoundNode, ScreenReading } from '../../screen-reading.ts'
import { readScreen } from '../../read-screen.ts'
import {
  type Sweep,
  type SweepResult,
  formatContainerName,
  resolveSweepContainer,
  sweepOnce,
  toContainerFailure,
} from './sweep.ts'
import { isSideways } from './scrollers.ts'
import { toUnresolvedFailure } from '../../target-lookup.ts'

export interface SearchPlan {
  readonly sweep: Sweep
  /** If absent, sweeps to the end. */
  readonly target?: Target | undefined
  /** A current reading of the screen, if there is one. */
  readonly from?: ScreenReading | undefined
  /** Called with every view. A search with `watch` waits and dismisses like a search with a target. */
  readonly watch?: ((reading: ScreenReading) => void) | undefined
  /** At the end of the list, sweeps back to the other end. */
  readonly bothWays: boolean
  /** The list is expected and may load late. Without it, a missing list ends the search. */
  readonly patient: boolean
  /** Moves the target until enough of it is visible. */
  readonly intoView: boolean
  readonly maxSweeps: number
  readonly maxDurationMs: number
  /** Number of sweeps in a row without movement that end the search. */
  readonly stillLimit: number
}

/** `EDGE_REACHED`: the list moved before. `NO_POSITION_CHANGE`: the list never moved. */
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
  /** The screen before the first sweep, and the current one. */
  readonly first: ScreenReading
  readonly last: ScreenReading
  readonly found: FoundNode | undefined
  readonly container: string | undefined
}

/** Sweeps a container until the target is found or another reason ends the search. */
export async function searchBySweeping(execution: EngineExecution, plan: SearchPlan): Promise<SearchEnd> {
  return new Search(execution, plan, await readFirst(execution, plan)).run()
}

/** Reuses the reading of the previous step if it contains the target. */
export async function readFirst(execution: EngineExecution, plan: SearchPlan): Promise<ScreenReading> {
  if (plan.from !== undefined) return plan.from
  const reusable = execution.takeReusableReading()
  if (reusable !== undefined && findTargetOn(reusable, plan) !== undefined) return reusable
  return readScreen(execution)
}

export function findTargetOn(reading: ScreenReading, { target }: SearchPlan): FoundNode | undefined {
  if (target === undefined) return undefined
  const resolution = resolveTarget(reading.hierarchy, target)
  if (resolution.kind === 'found') return { reading, ...resolution }
  if (resolution.kind === 'ambiguous') throw toUnresolvedFailure(resolution, reading)
  return undefined
}

/** The state of one search. */
class Search {
  readonly #execution: EngineExecution
  #plan: SearchPlan
  readonly #first: ScreenReading
  readonly #startedMs: number
  readonly #loading: LoadingWait
  #last: ScreenReading
  #sweep: Sweep
  #container: string | undefined
  #sweeps = 0
  #still = 0
  #nudges = 0
  #everMoved = false
  #waitedMs = 0

  constructor(execution: EngineExecution, plan: SearchPlan, first: ScreenReading) {
    this.#execution = execution
    this.#plan = plan
    this.#first = first
    this.#last = first
    this.#sweep = plan.sweep
    this.#startedMs = execution.now()
    this.#loading = new LoadingWait(execution)
  }

  async run(): Promise<SearchEnd> {
    for (;;) {
      this.#plan.watch?.(this.#last)
      const found = findTargetOn(this.#last, this.#plan)
      if (found !== undefined && !(await this.#nudge(found))) return this.#end('TARGET_FOUND', found)
      if (found !== undefined) continue
      const reason = this.#findExceededLimit() ?? (await this.#advance())
      if (reason !== undefined) return this.#end(reason)
    }
  }

  #end(reason: SearchReason, found?: FoundNode): SearchEnd {
    const [sweeps, first, last] = [this.#sweeps, this.#first, this.#last]
    return { reason, sweeps, first, last, found, container: this.#container }
  }

  /** Moves the target out from under an edge. Returns true if it must be searched again. */
  async #nudge({ reading, node }: FoundNode): Promise<boolean> {
    if (!this.#plan.intoView || this.#nudges >= MAX_NUDGES) return false
    const nudge = planNudge(reading, node, this.#sweep)
    if (nudge === undefined) return false
    const { container, direction, distanceRatio } = nudge
    const stroke = { ...this.#sweep, direction, distanceRatio }
    this.#nudges += 1
    this.#sweeps += 1
    this.#container = formatContainerName(container)
    this.#last = (await sweepOnce(this.#execution, container, stroke)).reading
    return true
  }

  #findExceededLimit(): SearchReason | undefined {
    const { maxSweeps, maxDurationMs } = this.#plan
    if (this.#sweeps >= maxSweeps) return 'MAX_SCROLLS_REACHED'
    if (this.#execution.now() - this.#startedMs < maxDurationMs) return undefined
    return this.#sweeps > 0 && !this.#hasList() ? 'CONTAINER_LOST' : 'MAX_DURATION_REACHED'
  }

  /** Sweeps once, or first handles what prevents the sweep. Returns the reason if the search ends. */
  async #advance(): Promise<SearchReason | undefined> {
    const { hierarchy } = this.#last
    const resolved = resolveSweepContainer(hierarchy, this.#sweep)
    // Nothing is dismissed while the list is visible: the target may just need more sweeps.
    const isCovered = resolved.kind !== 'found' || readDialogText(hierarchy) !== undefined
    if (isCovered && (await this.#dismissObstruction())) return undefined
    if (resolved.kind !== 'found') {
      if (resolved.error === 'CONTAINER_AMBIGUOUS') throw toContainerFailure(resolved.error, this.#last)
      if ((await this.#waitForLoading()) || (await this.#awaitList())) return undefined
      return this.#sweeps > 0 ? 'CONTAINER_LOST' : resolved.error
    }
    this.#container = formatContainerName(resolved.node)
    const swept = await sweepOnce(this.#execution, resolved.node, this.#sweep)
    this.#last = swept.reading
    if (swept.outcome === 'moved' && isSideways(resolved.node)) this.#plan = withoutOptionPlaces(this.#plan)
    return this.#evaluateSweep(swept)
  }

  async #evaluateSweep({ outcome }: SweepResult): Promise<SearchReason | undefined> {
    this.#sweeps += 1
    this.#still = outcome === 'still' ? this.#still + 1 : 0
    this.#everMoved ||= outcome === 'moved'
    const atEdge = this.#still >= this.#countStillLimit()
    if (outcome !== 'lost' && !atEdge) {
      if (isLoading(this.#last)) await this.#awaitTarget()
      return undefined
    }
    if (await this.#awaitTarget()) return undefined
    if (outcome === 'lost') {
      if (await this.#dismissObstruction()) return undefined
      if (!(await this.#awaitList())) return 'CONTAINER_LOST'
      // A pull at the start of a list loads it again. Pulling once more would do the same.
      if (!TO_START.has(this.#sweep.direction)) return undefined
      while (!this.#hasList() && (await this.#awaitList()));
      if (!this.#hasList()) return 'CONTAINER_LOST'
    }
    if ((await this.#waitForLoading()) || this.#turnBack() || (await this.#dismissObstruction())) {
      this.#still = 0
      return undefined
    }
    return this.#everMoved ? 'EDGE_REACHED' : 'NO_POSITION_CHANGE'
  }

  /** More entries may load at the end of a list. On the way back to its start there is nothing to wait for. */
  #countStillLimit(): number {
    const isWayBack = this.#sweep !== this.#plan.sweep && TO_START.has(this.#sweep.direction)
    return isWayBack && this.#everMoved ? 1 : this.#plan.stillLimit
  }

  /** Content may load late. Reads a few more times for the target. */
  async #awaitTarget(): Promise<boolean> {
    const pauseMs = Math.min(500, Math.max(100, this.#sweep.settleDelayMs / 2))
    for (let reads = 0; reads < MAX_TARGET_READINGS && this.#plan.target !== undefined; reads += 1) {
      if (findTargetOn(this.#last, this.#plan) !== undefined) return true
      await this.#execution.sleep(pauseMs)
      this.#last = await readScreen(this.#execution)
    }
    return findTargetOn(this.#last, this.#plan) !== undefined
  }

  /** Waits if the screen is loading. Returns true if it was read again. */
  async #waitForLoading(): Promise<boolean> {
    if (!this.#isSearching() || !this.#loading.shouldWait(this.#last)) return false
    await this.#loading.pause()
    this.#last = await readScreen(this.#execution)
    return true
  }

  /**
   * Waits for a list that is not there yet, or that is loaded again because a sweep at its start asked for it. A list that
   * was there is waited for in any search.
   */
  async #awaitList(): Promise<boolean> {
    const isExpected = this.#plan.patient || this.#sweeps > 0
    if (!isExpected || !this.#isSearching() || this.#waitedMs >= MAX_LIST_WAIT_MS) return false
    this.#waitedMs += LIST_PAUSE_MS
    await this.#execution.sleep(LIST_PAUSE_MS)
    this.#last = await readScreen(this.#execution)
    return true
  }

  #hasList(): boolean {
    return resolveSweepContainer(this.#last.hierarchy, this.#sweep).kind === 'found'
  }

  async #dismissObstruction(): Promise<boolean> {
    if (!this.#isSearching() || !(await dismissObstruction(this.#execution, this.#last))) return false
    this.#last = await readScreen(this.#execution)
    return true
  }

  #isSearching(): boolean {
    return this.#plan.target !== undefined || this.#plan.watch !== undefined
  }

  /** Turns back to the other end, once. */
  #turnBack(): boolean {
    const { bothWays, sweep } = this.#plan
    if (!bothWays || !this.#isSearching() || this.#sweep !== sweep) return false
    this.#sweep = { ...sweep, direction: OPPOSITE[sweep.direction] }
    return true
  }
}

/**
 * The plan for options that moved sideways: the first one that is visible need not be the first one there is. What finds
 * an option by its place is replaced, so that the others keep their numbers.
 */
function withoutOptionPlaces(plan: SearchPlan): SearchPlan {
  const { target } = plan
  if (target?.matcher.fallbacks?.some(({ option }) => option !== undefined) !== true) return plan
  const { fallbacks, ...own } = target.matcher
  const kept = fallbacks?.map((fallback) => (fallback.option === undefined ? fallback : own))
  return { ...plan, target: { ...target, matcher: { ...own, fallbacks: kept } } }
}

const MAX_TARGET_READINGS = 3
const MAX_NUDGES = 2
/** As long as a press waits for its target. */
const MAX_LIST_WAIT_MS = 8000
const LIST_PAUSE_MS = 500
const TO_START: ReadonlySet<Sweep['direction']> = new Set(['up', 'left'])
const OPPOSITE: Readonly<Record<Sweep['direction'], Direction>> = {
  across: 'left',
  down: 'up',
  up: 'down',
  left: 'right',
  right: 'left',
}
