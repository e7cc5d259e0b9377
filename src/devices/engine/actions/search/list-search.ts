import type { UiNode } from '../../../../screen/tree/hierarchy.ts'
import { ListPositions, isSamePlace, uniteSpans } from '../../../../screen/list-positions.ts'
import { type Target, matchTarget, summarizeNode } from '../../../../screen/matcher.ts'
import { type Span, isDescendant } from '../../../../screen/span.ts'
import type { EngineExecution } from '../../engine-execution.ts'
import type { ScreenReading } from '../../screen-reading.ts'
import { LoadingWait } from '../../loading-wait.ts'
import { readScreen } from '../../read-screen.ts'
import { StepFailure } from '../../step-failure.ts'
import { isVertical } from './into-view.ts'
import {
  findNearestScroller,
  hasScroller,
  isSameScroller,
  MAX_SCROLLERS,
  rankScrollers,
  resolveDirection,
  type ScrollerName,
} from './scrollers.ts'
import { type SearchEnd, type SearchPlan, findTargetOn, readFirst, searchBySweeping } from './sweep-search.ts'
import { type Sweep, resolveSweepContainer } from './sweep.ts'
import type { FoundNode } from '../../screen-reading.ts'

export interface ListSearch extends SearchPlan {
  /** The target must be unique in the whole list, including the parts that are not visible. */
  readonly wholeList: boolean
}

/**
 * Searches the named list, or the lists on the screen one after the other. A list that appears during the search is
 * searched as well.
 */
export async function searchList(execution: EngineExecution, plan: ListSearch): Promise<SearchEnd> {
  const first = await readLists(execution, plan)
  const tried: ScrollerName[] = []
  let end: SearchEnd | undefined
  for (let sweep = chooseSweep(first, plan, tried); sweep !== undefined;) {
    if (sweep.scroller !== undefined) tried.push(sweep.scroller)
    const sweeps: number = end?.sweeps ?? 0
    const maxSweeps = plan.maxSweeps - sweeps
    const next: SearchEnd = await searchOneList(execution, { ...plan, sweep, maxSweeps, from: end?.last ?? first })
    end = { ...next, first, sweeps: sweeps + next.sweeps }
    if (!EXHAUSTED.has(end.reason) || sweep.scroller === undefined) break
    sweep = chooseSweep(end.last, plan, tried)
  }
  return end ?? searchOneList(execution, { ...plan, from: first })
}

/** The first screen that shows the target or has a list. A list may load. */
async function readLists(execution: EngineExecution, plan: ListSearch): Promise<ScreenReading> {
  const loading = new LoadingWait(execution)
  let reading = await readFirst(execution, plan)
  const isReady = () => findTargetOn(reading, plan) !== undefined || hasScroller(reading.hierarchy)
  while (plan.sweep.container === undefined && loading.shouldWait(reading) && !isReady()) {
    await loading.pause()
    reading = await readScreen(execution)
  }
  return reading
}

const EXHAUSTED: ReadonlySet<string> = new Set(['EDGE_REACHED', 'NO_POSITION_CHANGE'])

/** The next list to search. Without a list that scrolls, the search of the first screen is left to the sweep. */
function chooseSweep(reading: ScreenReading, plan: ListSearch, tried: readonly ScrollerName[]): Sweep | undefined {
  const { sweep, target } = plan
  const isFirst = tried.length === 0
  if (sweep.container !== undefined || target === undefined) return isFirst ? sweep : undefined
  if (tried.length >= MAX_SCROLLERS) return undefined
  const found = findTargetOn(reading, plan)
  const around = found && findNearestScroller(found.node)
  const scrollers = around === undefined ? rankScrollers(reading.hierarchy, target) : [around]
  const next = scrollers.find((one) => !tried.some((other) => isSameScroller(one, other)))
  if (next !== undefined) return { ...sweep, scroller: next }
  return isFirst ? sweep : undefined
}

async function searchOneList(execution: EngineExecution, plan: ListSearch): Promise<SearchEnd> {
  const end = await searchBySweeping(execution, plan)
  if (!plan.wholeList || plan.target === undefined || end.found === undefined) return end
  const list = resolveSweepContainer(end.last.hierarchy, plan.sweep)
  if (list.kind !== 'found' || !isDescendant(end.found.node, list.node)) return end
  const vertical = isVertical(resolveDirection(list.node, plan.sweep.direction))
  const positions = new TargetPositions(plan.sweep, withFoundMatcher(plan.target, end.found), vertical)
  const survey = await searchBySweeping(execution, {
    ...plan,
    target: undefined,
    watch: (reading) => positions.add(reading),
    from: end.last,
    bothWays: true,
    stillLimit: Math.min(plan.stillLimit, SURVEY_STILL_LIMIT),
  })
  const sweeps = end.sweeps + survey.sweeps
  if (survey.reason === 'CONTAINER_LOST') return { ...survey, first: end.first, sweeps }
  const again = await searchBySweeping(execution, { ...plan, bothWays: true, from: survey.last })
  return { ...again, first: end.first, sweeps: sweeps + again.sweeps }
}

const SURVEY_STILL_LIMIT = 2

/** Keeps only the matcher or fallback that found the target: elsewhere a fallback could match another node. */
function withFoundMatcher(target: Target, { fallback }: FoundNode): Target {
  const { fallbacks = [], ...own } = target.matcher
  const by = fallback === undefined ? undefined : fallbacks[fallback - 1]
  return { ...target, matcher: by === undefined ? own : { ...by, strict: own.strict } }
}

/** All positions in a list at which the target was found. */
class TargetPositions {
  readonly #sweep: Sweep
  readonly #target: Target
  readonly #positions: ListPositions
  readonly #found: { readonly node: UiNode; span: Span }[] = []

  constructor(sweep: Sweep, target: Target, vertical: boolean) {
    this.#sweep = sweep
    this.#target = target
    this.#positions = new ListPositions(vertical)
  }

  add({ hierarchy }: ScreenReading): void {
    const list = resolveSweepContainer(hierarchy, this.#sweep)
    if (list.kind !== 'found') return
    this.#positions.moveTo(list.node)
    const matches = matchTarget(hierarchy, this.#target)
    if (matches.kind !== 'found') return
    for (const node of matches.nodes) {
      const span = isDescendant(node, list.node) ? this.#positions.locate(node) : undefined
      if (span === undefined) continue
      const known = this.#found.find((one) => isSamePlace(one.span, span))
      if (known === undefined) this.#found.push({ node, span })
      else known.span = uniteSpans(known.span, span)
    }
    if (this.#found.length > 1) throw this.#toAmbiguousFailure()
  }

  #toAmbiguousFailure(): StepFailure {
    const candidates = this.#found.map(({ node }) => summarizeNode(node))
    return new StepFailure('NODE_AMBIGUOUS', `${candidates.length} nodes match in the list.`, {
      data: {
        candidates: JSON.stringify(candidates),
        candidate_count: String(candidates.length),
      },
    })
  }
}
