import { type UiNode, subtree } from './tree/hierarchy.ts'
import { readLabel } from './tree/roles.ts'
import { type Span, length, overlap, toSpan } from './span.ts'

/** Tracks the positions of nodes in a whole list while the list is scrolled. */
export class ListPositions {
  readonly #vertical: boolean
  #offset = 0
  #places: ReadonlyMap<string, number> | undefined

  constructor(vertical: boolean) {
    this.#vertical = vertical
  }

  /** Updates the scroll offset from the current view of the list. */
  moveTo(container: UiNode): void {
    const places = collectPlaces(container, this.#vertical)
    if (this.#places !== undefined) this.#offset += measureTravel(this.#places, places)
    this.#places = places
  }

  /** The position of a node of the current view, relative to the first view. */
  locate(node: UiNode): Span | undefined {
    const span = toSpan(node.bounds, this.#vertical)
    return span && { start: span.start + this.#offset, end: span.end + this.#offset }
  }
}

export function uniteSpans(one: Span, other: Span): Span {
  return { start: Math.min(one.start, other.start), end: Math.max(one.end, other.end) }
}

/** Compares by overlap, because nodes at the edge of a view are cut off. */
export function isSamePlace(one: Span, other: Span): boolean {
  return length(overlap(one, other)) * 2 >= Math.min(length(one), length(other))
}

/** The centres of the nodes that are completely visible and whose label is unique. */
function collectPlaces(container: UiNode, vertical: boolean): Map<string, number> {
  const view = toSpan(container.bounds, vertical)
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  if (view === undefined) return places
  for (const node of subtree(container)) {
    const label = readLabel(node)
    const span = toSpan(node.bounds, vertical)
    if (label === '' || span === undefined) continue
    if (places.has(label)) repeated.add(label)
    if (span.start > view.start && span.end < view.end) places.set(label, (span.start + span.end) / 2)
  }
  for (const label of repeated) places.delete(label)
  return places
}

/** The distance that most of the nodes visible in both views have moved. */
function measureTravel(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  const votes = new Map<number, number>()
  for (const [label, place] of before) {
    const now = after.get(label)
    if (now === undefined) continue
    const distance = Math.round(place - now)
    votes.set(distance, (votes.get(distance) ?? 0) + 1)
  }
  const [best] = [...votes].toSorted(([a, votesA], [b, votesB]) => votesB - votesA || Math.abs(b) - Math.abs(a))
  return best?.[0] ?? 0
}
