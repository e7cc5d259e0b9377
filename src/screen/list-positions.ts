import { type UiNode, subtree } from './hierarchy.ts'
import { labelOf } from './roles.ts'
import { type Span, length, overlap, spanOf } from './span.ts'

/** Where things stand in a list as a whole, as it goes by view for view. */
export class ListPositions {
  readonly #vertical: boolean
  #offset = 0
  #places: ReadonlyMap<string, number> | undefined

  constructor(vertical: boolean) {
    this.#vertical = vertical
  }

  /** The list has come to stand like this. */
  moveTo(container: UiNode): void {
    const places = placesIn(container, this.#vertical)
    if (this.#places !== undefined) this.#offset += travelled(this.#places, places)
    this.#places = places
  }

  /** Where a node of the present view lies, counted from where the list stood at first. */
  of(node: UiNode): Span | undefined {
    const span = spanOf(node.bounds, this.#vertical)
    return span && { start: span.start + this.#offset, end: span.end + this.#offset }
  }
}

export function union(one: Span, other: Span): Span {
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) }
}

/** At the edges of a view things are cut off, so of one thing only a part may be the same. */
export function isSamePlace(one: Span, other: Span): boolean {
  return length(overlap(one, other)) * 2 >= Math.min(length(one), length(other))
}

/** The middle of whatever is named once and whole in sight. */
function placesIn(container: UiNode, vertical: boolean): Map<string, number> {
  const view = spanOf(container.bounds, vertical)
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  if (view === undefined) return places
  for (const node of subtree(container)) {
    const label = labelOf(node)
    const span = spanOf(node.bounds, vertical)
    if (label === '' || span === undefined) continue
    if (places.has(label)) repeated.add(label)
    if (span.start > view.start && span.end < view.end)
      places.set(label, (span.start + span.end) / 2)
  }
  for (const label of repeated) places.delete(label)
  return places
}

/** How far the content went by: what most of the things seen both before and after say. */
function travelled(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number {
  const votes = new Map<number, number>()
  for (const [label, place] of before) {
    const now = after.get(label)
    if (now === undefined) continue
    const distance = Math.round(place - now)
    votes.set(distance, (votes.get(distance) ?? 0) + 1)
  }
  const [best] = [...votes].toSorted(
    ([a, votesA], [b, votesB]) => votesB - votesA || Math.abs(b) - Math.abs(a),
  )
  return best?.[0] ?? 0
}
