import type { Direction } from '@apprentice/contracts/devices/action.ts'
import { dialogWords } from '../../../screen/dialog.ts'
import { type Target, resolveTarget } from '../../../screen/matcher.ts'
import { resolveScrollContainer } from '../../../screen/scroll-container.ts'
import type { EngineRun } from '../engine-run.ts'
import { clearTheWay } from '../in-the-way.ts'
import { nudgeFor } from './into-view.ts'
import { LoadingWait, isLoading } from '../loading-wait.ts'
import type { FoundNode, ScreenReading } from '../screen-reading.ts'
import { readScreen } from '../screen-reads.ts'
import { type Sweep, type Swept, nameOf, noContainer, sweepOnce } from './sweeping.ts'
import { unresolved } from '../target-lookup.ts'

export interface SearchPlan {
  readonly sweep: Sweep
  /** Absent: sweeps to the end. */
  readonly target?: Target | undefined
  /** The screen as it is, where somebody has just looked. */
  readonly from?: ScreenReading | undefined
  /** Told of every view on the way. Whoever watches sees all there is, as whoever seeks does. */
  readonly watch?: ((reading: ScreenReading) => void) | undefined
  /** Having come to the end, goes back to the other one. */
  readonly bothWays: boolean
  /** What is found must not be half hidden. */
  readonly intoView: boolean
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
  return new Search(run, plan, await firstLook(run, plan)).go()
}

/** The look of the step before will do if the target is on it already. */
async function firstLook(run: EngineRun, plan: SearchPlan): Promise<ScreenReading> {
  if (plan.from !== undefined) return plan.from
  const offered = run.takeOffered()
  if (offered !== undefined && targetOn(offered, plan) !== undefined) return offered
  return readScreen(run)
}

function targetOn(reading: ScreenReading, { target }: SearchPlan): FoundNode | undefined {
  if (target === undefined) return undefined
  const resolution = resolveTarget(reading.hierarchy, target)
  if (resolution.kind === 'found') return { reading, ...resolution }
  if (resolution.kind === 'ambiguous') throw unresolved(resolution, reading)
  return undefined
}

/** A search under way. */
class Search {
  readonly #run: EngineRun
  readonly #plan: SearchPlan
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

  constructor(run: EngineRun, plan: SearchPlan, first: ScreenReading) {
    this.#run = run
    this.#plan = plan
    this.#first = first
    this.#last = first
    this.#sweep = plan.sweep
    this.#startedMs = run.now()
    this.#loading = new LoadingWait(run)
  }

  async go(): Promise<SearchEnd> {
    for (;;) {
      this.#plan.watch?.(this.#last)
      const found = targetOn(this.#last, this.#plan)
      if (found !== undefined && !(await this.#nudge(found)))
        return this.#end('TARGET_FOUND', found)
      if (found !== undefined) continue
      const reason = this.#cut() ?? (await this.#advance())
      if (reason !== undefined) return this.#end(reason)
    }
  }

  #end(reason: SearchReason, found?: FoundNode): SearchEnd {
    const [sweeps, first, last] = [this.#sweeps, this.#first, this.#last]
    return { reason, sweeps, first, last, found, container: this.#container }
  }

  /** Brings what was found out from under an edge. True: look for it again. */
  async #nudge({ reading, node }: FoundNode): Promise<boolean> {
    if (!this.#plan.intoView || this.#nudges >= MAX_NUDGES) return false
    const nudge = nudgeFor(reading, node, this.#sweep)
    if (nudge === undefined) return false
    const { container, direction, distanceRatio } = nudge
    const stroke = { ...this.#sweep, direction, distanceRatio }
    this.#nudges += 1
    this.#sweeps += 1
    this.#container = nameOf(container)
    this.#last = (await sweepOnce(this.#run, container, stroke)).reading
    return true
  }

  #cut(): SearchReason | undefined {
    const { maxSweeps, maxDurationMs } = this.#plan
    if (this.#sweeps >= maxSweeps) return 'MAX_SCROLLS_REACHED'
    return this.#run.now() - this.#startedMs >= maxDurationMs ? 'MAX_DURATION_REACHED' : undefined
  }

  /** One sweep further, or whatever must come before it. Answers why there is no further. */
  async #advance(): Promise<SearchReason | undefined> {
    const { hierarchy } = this.#last
    const resolved = resolveScrollContainer(hierarchy, this.#sweep)
    // A list that merely has to be moved is not covered by what may be dismissed.
    const isCovered = resolved.kind !== 'found' || dialogWords(hierarchy) !== undefined
    if (isCovered && (await this.#cleared())) return undefined
    if (resolved.kind !== 'found') {
      if (resolved.error === 'CONTAINER_AMBIGUOUS') throw noContainer(resolved.error, this.#last)
      if (await this.#loaded()) return undefined
      return this.#sweeps > 0 ? 'CONTAINER_LOST' : resolved.error
    }
    this.#container = nameOf(resolved.node)
    const swept = await sweepOnce(this.#run, resolved.node, this.#sweep)
    this.#last = swept.reading
    return this.#judge(swept)
  }

  async #judge({ outcome }: Swept): Promise<SearchReason | undefined> {
    this.#sweeps += 1
    this.#still = outcome === 'still' ? this.#still + 1 : 0
    this.#everMoved ||= outcome === 'moved'
    const atEdge = this.#still >= this.#plan.stillLimit
    if (outcome !== 'lost' && !atEdge) {
      if (isLoading(this.#last)) await this.#graceLooks()
      return undefined
    }
    if (await this.#graceLooks()) return undefined
    if (outcome === 'lost') return (await this.#cleared()) ? undefined : 'CONTAINER_LOST'
    if ((await this.#loaded()) || this.#turned() || (await this.#cleared())) {
      this.#still = 0
      return undefined
    }
    return this.#everMoved ? 'EDGE_REACHED' : 'NO_POSITION_CHANGE'
  }

  /** Content may come late: a few more looks while the screen is loading, and before giving up. */
  async #graceLooks(): Promise<boolean> {
    const pauseMs = Math.min(500, Math.max(100, this.#sweep.settleDelayMs / 2))
    for (let look = 0; look < GRACE_LOOKS && this.#plan.target !== undefined; look += 1) {
      if (targetOn(this.#last, this.#plan) !== undefined) return true
      await this.#run.sleep(pauseMs)
      this.#last = await readScreen(this.#run)
    }
    return targetOn(this.#last, this.#plan) !== undefined
  }

  /** Waits for a screen that is loading. True: it may show more now. */
  async #loaded(): Promise<boolean> {
    if (!this.#isLooking() || !this.#loading.isWorthIt(this.#last)) return false
    await this.#loading.pause()
    this.#last = await readScreen(this.#run)
    return true
  }

  async #cleared(): Promise<boolean> {
    if (!this.#isLooking() || !(await clearTheWay(this.#run, this.#last))) return false
    this.#last = await readScreen(this.#run)
    return true
  }

  #isLooking(): boolean {
    return this.#plan.target !== undefined || this.#plan.watch !== undefined
  }

  /** Back to the other end, once. Every view is looked at on the way, so that is a full sweep. */
  #turned(): boolean {
    const { bothWays, sweep } = this.#plan
    if (!bothWays || !this.#isLooking() || this.#sweep !== sweep) return false
    this.#sweep = { ...sweep, direction: OPPOSITE[sweep.direction] }
    return true
  }
}

const GRACE_LOOKS = 3
const MAX_NUDGES = 2
const OPPOSITE: Readonly<Record<Direction, Direction>> = {
  down: 'up',
  up: 'down',
  left: 'right',
  right: 'left',
}
