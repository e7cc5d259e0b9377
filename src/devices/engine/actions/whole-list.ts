import type { UiNode } from '../../../screen/hierarchy.ts'
import { ListPositions, isSamePlace, union } from '../../../screen/list-positions.ts'
import { type Target, matchTarget, summarizeNode } from '../../../screen/matcher.ts'
import { resolveScrollContainer } from '../../../screen/scroll-container.ts'
import { type Span, isInside } from '../../../screen/span.ts'
import type { EngineRun } from '../engine-run.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { StepFailure } from '../step-failure.ts'
import { type SearchEnd, type SearchPlan, searchBySweeping } from './sweep-search.ts'
import type { Sweep } from './sweeping.ts'
import type { FoundNode } from '../screen-reading.ts'

export interface ListSearch extends SearchPlan {
  /** What is found must be the only one in all of the list, seen or not. */
  readonly wholeList: boolean
}

export async function searchList(run: EngineRun, plan: ListSearch): Promise<SearchEnd> {
  const end = await searchBySweeping(run, plan)
  if (!plan.wholeList || plan.target === undefined || end.found === undefined) return end
  const list = resolveScrollContainer(end.last.hierarchy, plan.sweep)
  if (list.kind !== 'found' || !isInside(end.found.node, list.node)) return end
  const sightings = new Sightings(plan.sweep, asItWasFound(plan.target, end.found))
  const survey = await searchBySweeping(run, {
    ...plan,
    target: undefined,
    watch: (reading) => sightings.add(reading),
    from: end.last,
    bothWays: true,
    stillLimit: Math.min(plan.stillLimit, SURE_OF_THE_EDGE),
  })
  const sweeps = end.sweeps + survey.sweeps
  if (survey.reason === 'CONTAINER_LOST') return { ...survey, first: end.first, sweeps }
  const again = await searchBySweeping(run, { ...plan, bothWays: true, from: survey.last })
  return { ...again, first: end.first, sweeps: sweeps + again.sweeps }
}

const SURE_OF_THE_EDGE = 2

/** Where the target itself is out of sight, a fallback would take another for it. */
function asItWasFound(target: Target, { fallback }: FoundNode): Target {
  const { fallbacks = [], ...own } = target.matcher
  const by = fallback === undefined ? undefined : fallbacks[fallback - 1]
  return { ...target, matcher: by === undefined ? own : { ...by, strict: own.strict } }
}

/** Every place of a list at which the target was seen. */
class Sightings {
  readonly #sweep: Sweep
  readonly #target: Target
  readonly #positions: ListPositions
  readonly #seen: { readonly node: UiNode; span: Span }[] = []

  constructor(sweep: Sweep, target: Target) {
    this.#sweep = sweep
    this.#target = target
    this.#positions = new ListPositions(sweep.direction === 'down' || sweep.direction === 'up')
  }

  add({ hierarchy }: ScreenReading): void {
    const list = resolveScrollContainer(hierarchy, this.#sweep)
    if (list.kind !== 'found') return
    this.#positions.moveTo(list.node)
    const matches = matchTarget(hierarchy, this.#target)
    if (matches.kind !== 'found') return
    for (const node of matches.nodes) {
      const span = isInside(node, list.node) ? this.#positions.of(node) : undefined
      if (span === undefined) continue
      const known = this.#seen.find((one) => isSamePlace(one.span, span))
      if (known === undefined) this.#seen.push({ node, span })
      else known.span = union(known.span, span)
    }
    if (this.#seen.length > 1) throw this.#ambiguous()
  }

  #ambiguous(): StepFailure {
    const candidates = this.#seen.map(({ node }) => summarizeNode(node))
    return new StepFailure('NODE_AMBIGUOUS', `There are ${candidates.length} alike in the list.`, {
      data: {
        candidates: JSON.stringify(candidates),
        candidate_count: String(candidates.length),
      },
    })
  }
}
