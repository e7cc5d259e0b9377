import type { Direction } from '@apprentice/contracts/devices/action.ts'
import { type Hierarchy, type UiNode, attribute } from '../../../screen/hierarchy.ts'
import { resolveScrollContainer } from '../../../screen/scroll-container.ts'
import { type Span, isInside, length, overlap, spanOf } from '../../../screen/span.ts'
import type { ScreenReading } from '../screen-reading.ts'
import type { Sweep } from './sweeping.ts'
import { receiverOf } from '../tap-point.ts'

/** A small movement that brings a row out from under an edge or a bar. */
export interface Nudge {
  readonly container: UiNode
  readonly direction: Direction
  /** Of the longest stroke in the container. */
  readonly distanceRatio: number
}

/** How to bring a node into clear sight; nothing when it is, or when no movement would. */
export function nudgeFor(
  { hierarchy }: ScreenReading,
  node: UiNode,
  sweep: Sweep,
): Nudge | undefined {
  const resolved = resolveScrollContainer(hierarchy, sweep)
  if (resolved.kind !== 'found') return undefined
  const container = resolved.node
  const vertical = sweep.direction === 'down' || sweep.direction === 'up'
  const row = rowOf(node, container)
  const span = spanOf(row?.bounds, vertical)
  const view = spanOf(container.bounds, vertical)
  if (row === undefined || span === undefined || view === undefined) return undefined
  const clear = clearPart(hierarchy, container, { view, vertical })
  const whole = Math.max(length(span), usualLength(container, vertical))
  if (length(overlap(span, clear)) >= CLEAR_SHARE * Math.min(whole, length(clear))) return undefined
  const onward = span.end >= clear.end
  const distance = Math.max(whole, MIN_DISTANCE * length(view))
  return {
    container,
    direction: vertical ? (onward ? 'down' : 'up') : onward ? 'right' : 'left',
    distanceRatio: Math.min(1, distance / (STROKE * length(view))),
  }
}

/** Less than this of a row in sight is too little to be sure what a touch meets. */
const CLEAR_SHARE = 0.6
const MIN_DISTANCE = 0.1
/** The longest stroke, as a share of its container. */
const STROKE = 0.4

/** What is touched for the node, as far as it scrolls with the rest. */
function rowOf(node: UiNode, container: UiNode): UiNode | undefined {
  const receiver = receiverOf(node, 'click')
  if (receiver !== undefined && isInside(receiver, container)) return receiver
  return isInside(node, container) ? node : undefined
}

/** How long the rows of a list mostly are; those at its ends may be cut off. */
function usualLength(container: UiNode, vertical: boolean): number {
  let rows = container
  for (let only = rows; only.children.length === 1; only = rows) rows = only.children[0] ?? only
  const lengths = rows.children
    .filter((row) => attribute(row, 'class') === attribute(rows.children[0] ?? row, 'class'))
    .map((row) => length(spanOf(row.bounds, vertical) ?? { start: 0, end: 0 }))
    .toSorted((a, b) => a - b)
  return lengths.length < 3 ? 0 : (lengths[Math.floor(lengths.length / 2)] ?? 0)
}

/** The part of a container that no bar lies over: bars come later in the tree and run along an edge. */
function clearPart(
  hierarchy: Hierarchy,
  container: UiNode,
  { view, vertical }: { readonly view: Span; readonly vertical: boolean },
): Span {
  const across = spanOf(container.bounds, !vertical)
  let clear = view
  if (across === undefined) return clear
  for (const node of coversOf(hierarchy, container)) {
    const along = spanOf(node.bounds, vertical)
    const width = spanOf(node.bounds, !vertical)
    if (along === undefined || width === undefined) continue
    const isBar =
      length(overlap(width, across)) >= BAR_WIDTH * length(across) &&
      length(overlap(along, view)) <= BAR_HEIGHT * length(view)
    if (!isBar) continue
    if (along.start <= view.start && along.end > clear.start) clear = { ...clear, start: along.end }
    if (along.end >= view.end && along.start < clear.end) clear = { ...clear, end: along.start }
  }
  return clear
}

const BAR_WIDTH = 0.6
const BAR_HEIGHT = 0.4

/** Everything that is drawn after the container and is no part of it. */
function coversOf({ nodes }: Hierarchy, container: UiNode): readonly UiNode[] {
  const after = nodes.slice(nodes.indexOf(container) + 1)
  return after.filter((node) => !isInside(node, container))
}
