import type { Direction } from '@apprentice/contracts/devices/action.ts'
import { type Hierarchy, type UiNode, attribute } from '../../../../screen/tree/hierarchy.ts'
import { type Span, isDescendant, length, overlap, toSpan } from '../../../../screen/span.ts'
import type { ScreenReading } from '../../screen-reading.ts'
import { resolveDirection } from './scrollers.ts'
import { type Sweep, resolveSweepContainer } from './sweep.ts'
import { findReceiver } from '../../tap-point.ts'

/** A short swipe that moves a row out from under an edge or a bar. */
export interface Nudge {
  readonly container: UiNode
  readonly direction: Direction
  /** Share of the longest swipe in the container. */
  readonly distanceRatio: number
}

/** Plans the swipe that uncovers a node. Undefined if it is visible enough or cannot be moved. */
export function planNudge({ hierarchy }: ScreenReading, node: UiNode, sweep: Sweep): Nudge | undefined {
  const resolved = resolveSweepContainer(hierarchy, sweep)
  if (resolved.kind !== 'found') return undefined
  const container = resolved.node
  const vertical = isVertical(resolveDirection(container, sweep.direction))
  const row = findRow(node, container)
  const span = toSpan(row?.bounds, vertical)
  const view = toSpan(container.bounds, vertical)
  if (row === undefined || span === undefined || view === undefined) return undefined
  const uncovered = findUncoveredPart(hierarchy, container, { view, vertical })
  const whole = Math.max(length(span), measureRowLength(container, vertical))
  if (length(overlap(span, uncovered)) >= MIN_VISIBLE_SHARE * Math.min(whole, length(uncovered))) return undefined
  const onward = span.end >= uncovered.end
  const distance = Math.max(whole, MIN_DISTANCE_SHARE * length(view))
  return {
    container,
    direction: vertical ? (onward ? 'down' : 'up') : onward ? 'right' : 'left',
    distanceRatio: Math.min(1, distance / (MAX_STROKE_SHARE * length(view))),
  }
}

export function isVertical(direction: Direction): boolean {
  return direction === 'down' || direction === 'up'
}

/** With less of a row visible, a touch may hit another node. */
const MIN_VISIBLE_SHARE = 0.6
const MIN_DISTANCE_SHARE = 0.1
/** The longest swipe, as a share of the container. */
const MAX_STROKE_SHARE = 0.4

/** The node that receives the touch, if it is inside the container; else the node itself. */
function findRow(node: UiNode, container: UiNode): UiNode | undefined {
  const receiver = findReceiver(node, 'click')
  if (receiver !== undefined && isDescendant(receiver, container)) return receiver
  return isDescendant(node, container) ? node : undefined
}

/** The median length of the rows. Rows at the ends of a list may be cut off. */
function measureRowLength(container: UiNode, vertical: boolean): number {
  let rows = container
  for (let only = rows; only.children.length === 1; only = rows) rows = only.children[0] ?? only
  const lengths = rows.children
    .filter((row) => attribute(row, 'class') === attribute(rows.children[0] ?? row, 'class'))
    .map((row) => length(toSpan(row.bounds, vertical) ?? { start: 0, end: 0 }))
    .toSorted((a, b) => a - b)
  return lengths.length < 3 ? 0 : (lengths[Math.floor(lengths.length / 2)] ?? 0)
}

/** The part of a container that no bar covers. Bars come later in the tree and lie along an edge. */
function findUncoveredPart(
  hierarchy: Hierarchy,
  container: UiNode,
  { view, vertical }: { readonly view: Span; readonly vertical: boolean },
): Span {
  const across = toSpan(container.bounds, !vertical)
  let clear = view
  if (across === undefined) return clear
  for (const node of findCovers(hierarchy, container)) {
    const along = toSpan(node.bounds, vertical)
    const width = toSpan(node.bounds, !vertical)
    if (along === undefined || width === undefined) continue
    const isBar =
      length(overlap(width, across)) >= MIN_BAR_WIDTH_SHARE * length(across) &&
      length(overlap(along, view)) <= MAX_BAR_HEIGHT_SHARE * length(view)
    if (!isBar) continue
    if (along.start <= view.start && along.end > clear.start) clear = { ...clear, start: along.end }
    if (along.end >= view.end && along.start < clear.end) clear = { ...clear, end: along.start }
  }
  return clear
}

const MIN_BAR_WIDTH_SHARE = 0.6
const MAX_BAR_HEIGHT_SHARE = 0.4

/** All nodes that are drawn after the container and are not inside it. */
function findCovers({ nodes }: Hierarchy, container: UiNode): readonly UiNode[] {
  const after = nodes.slice(nodes.indexOf(container) + 1)
  return after.filter((node) => !isDescendant(node, container))
}
