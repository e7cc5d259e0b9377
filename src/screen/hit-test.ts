import { area, type Bounds, type Point } from './bounds.ts'
import { attribute, isTrue, type Hierarchy, type UiNode } from './hierarchy.ts'
import { elementRole } from './element-traits.ts'
import { windowOf } from './matcher.ts'

/**
 * The node a touch goes to: of those under the finger the topmost that takes touches. What lies later
 * in the tree lies above; a node that takes none lets the touch through to what is below it, and in
 * the end to the nodes around it.
 */
export function touchTarget(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return topmost(hierarchy.roots, point, takesTouch)
}

/** Whether nothing of the app takes a touch there; its background, if anything, does not count. */
export function isBare(hierarchy: Hierarchy, point: Point): boolean {
  const target = touchTarget(hierarchy, point)
  return target === undefined || fillsWindow(target, hierarchy)
}

/** What the finger points at, whether it takes touches or not. */
export function nodeUnder(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return topmost(hierarchy.roots, point, () => true)
}

export function scrollerUnder(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return topmost(hierarchy.roots, point, (node) => isTrue(node, 'scrollable'))
}

export function sliderUnder(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return topmost(
    hierarchy.roots,
    point,
    (node) => elementRole(attribute(node, 'class')) === 'slider',
  )
}

export function takesTouch(node: UiNode): boolean {
  return (
    isTrue(node, 'clickable') ||
    isTrue(node, 'long-clickable') ||
    isTrue(node, 'checkable') ||
    elementRole(attribute(node, 'class')) === 'slider'
  )
}

export function isInside({ x, y }: Point, { left, top, right, bottom }: Bounds): boolean {
  return x >= left && x < right && y >= top && y < bottom
}

function fillsWindow({ bounds }: UiNode, hierarchy: Hierarchy): boolean {
  const window = windowOf(hierarchy)
  return bounds !== null && window !== null && area(bounds) > 0.8 * area(window)
}

function topmost(
  nodes: readonly UiNode[],
  point: Point,
  wanted: (node: UiNode) => boolean,
): UiNode | undefined {
  for (const node of nodes.toReversed()) {
    if (node.bounds === null || !isInside(point, node.bounds)) continue
    const found = topmost(node.children, point, wanted) ?? (wanted(node) ? node : undefined)
    if (found !== undefined) return found
  }
  return undefined
}
