import type { Point } from '../driver/driver.ts'
import { type Bounds, centre, hasArea } from '../../screen/bounds.ts'
import { type Hierarchy, type UiNode, isTrue } from '../../screen/hierarchy.ts'
import { windowOf } from '../../screen/matcher.ts'

/** The node that takes a touch meant for this one: itself or the nearest ancestor that wants touches. */
export function receiverOf(node: UiNode, kind: 'click' | 'long_click'): UiNode | undefined {
  const wanted = kind === 'click' ? ['clickable'] : ['long-clickable', 'clickable']
  for (let at: UiNode | null = node; at !== null; at = at.parent) {
    const one = at
    if (wanted.some((name) => isTrue(one, name))) return one
  }
  return undefined
}

/**
 * Where to touch a node: its middle, or the nearest point to it at which nothing else that wants
 * touches (a switch in a row, a button that floats above) lies over the receiver.
 */
export function tapPoint(
  hierarchy: Hierarchy,
  node: UiNode,
  receiver: UiNode | undefined,
): Point | undefined {
  const area = visiblePart(node.bounds, windowOf(hierarchy))
  if (area === undefined) return undefined
  const middle = centre(area)
  if (receiver === undefined) return middle
  return pointsOf(area).find((point) => touchedAt(hierarchy, point) === receiver) ?? middle
}

/** What takes a touch at this point: later siblings lie above earlier ones, children above parents. */
export function touchedAt(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return topmost(hierarchy.roots, point)
}

function topmost(nodes: readonly UiNode[], point: Point): UiNode | undefined {
  for (const node of nodes.toReversed()) {
    if (node.bounds === null || !covers(node.bounds, point)) continue
    const above = topmost(node.children, point)
    if (above !== undefined) return above
    if (isTrue(node, 'clickable') || isTrue(node, 'long-clickable')) return node
  }
  return undefined
}

function covers({ left, top, right, bottom }: Bounds, { x, y }: Point): boolean {
  return left <= x && x < right && top <= y && y < bottom
}

function visiblePart(bounds: Bounds | null, window: Bounds | null): Bounds | undefined {
  if (bounds === null || window === null) return undefined
  const part = {
    left: Math.max(0, bounds.left, window.left),
    top: Math.max(0, bounds.top, window.top),
    right: Math.min(bounds.right, window.right),
    bottom: Math.min(bounds.bottom, window.bottom),
  }
  return hasArea(part) ? part : undefined
}

/** From the middle outwards. */
function pointsOf(area: Bounds): readonly Point[] {
  const { x, y } = centre(area)
  const [width, height] = [area.right - area.left, area.bottom - area.top]
  return SHIFTS.map(([right, down]) => ({
    x: Math.floor(x + right * width),
    y: Math.floor(y + down * height),
  }))
}

const STEPS = [0, -0.2, 0.2, -0.4, 0.4]
const SHIFTS: readonly (readonly [number, number])[] = STEPS.flatMap((right) =>
  STEPS.map((down) => [right, down] as const),
).toSorted((a, b) => Math.hypot(...a) - Math.hypot(...b))
