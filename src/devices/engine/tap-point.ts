import type { Point } from '../driver/driver.ts'
import { type Bounds, centre, hasArea } from '../../screen/tree/bounds.ts'
import { type Hierarchy, type UiNode, isTrue } from '../../screen/tree/hierarchy.ts'
import { findWindow } from '../../screen/matcher.ts'

/** Finds the node that receives a touch on the given node: the node itself or the nearest clickable ancestor. */
export function findReceiver(node: UiNode, kind: 'click' | 'long_click'): UiNode | undefined {
  const attributes = kind === 'click' ? ['clickable'] : ['long-clickable', 'clickable']
  for (let at: UiNode | null = node; at !== null; at = at.parent) {
    const one = at
    if (attributes.some((name) => isTrue(one, name))) return one
  }
  return undefined
}

/**
 * Chooses where to touch a node: its centre, or the nearest point at which no other clickable node (a
 * switch in a row, a floating button) covers the receiver.
 */
export function chooseTapPoint(hierarchy: Hierarchy, node: UiNode, receiver: UiNode | undefined): Point | undefined {
  const area = clipToWindow(node.bounds, findWindow(hierarchy))
  if (area === undefined) return undefined
  const center = centre(area)
  if (receiver === undefined) return center
  return listCandidatePoints(area).find((point) => findTouchedNode(hierarchy, point) === receiver) ?? center
}

/** Finds the node that receives a touch at the point. Later siblings and children are on top. */
export function findTouchedNode(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return findTopmost(hierarchy.roots, point)
}

function findTopmost(nodes: readonly UiNode[], point: Point): UiNode | undefined {
  for (const node of nodes.toReversed()) {
    if (node.bounds === null || !covers(node.bounds, point)) continue
    const above = findTopmost(node.children, point)
    if (above !== undefined) return above
    if (isTrue(node, 'clickable') || isTrue(node, 'long-clickable')) return node
  }
  return undefined
}

function covers({ left, top, right, bottom }: Bounds, { x, y }: Point): boolean {
  return left <= x && x < right && top <= y && y < bottom
}

function clipToWindow(bounds: Bounds | null, window: Bounds | null): Bounds | undefined {
  if (bounds === null || window === null) return undefined
  const part = {
    left: Math.max(0, bounds.left, window.left),
    top: Math.max(0, bounds.top, window.top),
    right: Math.min(bounds.right, window.right),
    bottom: Math.min(bounds.bottom, window.bottom),
  }
  return hasArea(part) ? part : undefined
}

/** Points of the area, sorted by distance from its centre. */
function listCandidatePoints(area: Bounds): readonly Point[] {
  const { x, y } = centre(area)
  const [width, height] = [area.right - area.left, area.bottom - area.top]
  return SHIFTS.map(([right, down]) => ({
    x: Math.floor(x + right * width),
    y: Math.floor(y + down * height),
  }))
}

const SHIFT_STEPS = [0, -0.2, 0.2, -0.4, 0.4]
const SHIFTS: readonly (readonly [number, number])[] = SHIFT_STEPS.flatMap((right) =>
  SHIFT_STEPS.map((down) => [right, down] as const),
).toSorted((a, b) => Math.hypot(...a) - Math.hypot(...b))
