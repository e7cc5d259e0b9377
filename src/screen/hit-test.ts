import { area, type Bounds, type Point } from './tree/bounds.ts'
import { attribute, isTrue, type Hierarchy, type UiNode } from './tree/hierarchy.ts'
import { inferElementRole } from './tree/element-traits.ts'
import { findWindow } from './matcher.ts'

/**
 * Finds the topmost node at the point that accepts touches. Later siblings are drawn above earlier ones.
 * A node that does not accept touches passes them to the nodes below it and then to its ancestors.
 */
export function findTouchTarget(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return findTopmost(hierarchy.roots, point, acceptsTouch)
}

/** Whether no node accepts a touch at the point. A node that fills the window counts as background. */
export function isEmptyAt(hierarchy: Hierarchy, point: Point): boolean {
  const target = findTouchTarget(hierarchy, point)
  return target === undefined || fillsWindow(target, hierarchy)
}

/** Finds the topmost node at the point, whether it accepts touches or not. */
export function findNodeAt(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return findTopmost(hierarchy.roots, point, () => true)
}

export function findScrollableAt(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return findTopmost(hierarchy.roots, point, (node) => isTrue(node, 'scrollable'))
}

export function findSliderAt(hierarchy: Hierarchy, point: Point): UiNode | undefined {
  return findTopmost(hierarchy.roots, point, (node) => inferElementRole(attribute(node, 'class')) === 'slider')
}

export function acceptsTouch(node: UiNode): boolean {
  return (
    isTrue(node, 'clickable') ||
    isTrue(node, 'long-clickable') ||
    isTrue(node, 'checkable') ||
    inferElementRole(attribute(node, 'class')) === 'slider'
  )
}

export function isPointInside({ x, y }: Point, { left, top, right, bottom }: Bounds): boolean {
  return x >= left && x < right && y >= top && y < bottom
}

function fillsWindow({ bounds }: UiNode, hierarchy: Hierarchy): boolean {
  const window = findWindow(hierarchy)
  return bounds !== null && window !== null && area(bounds) > 0.8 * area(window)
}

function findTopmost(nodes: readonly UiNode[], point: Point, matches: (node: UiNode) => boolean): UiNode | undefined {
  for (const node of nodes.toReversed()) {
    if (node.bounds === null || !isPointInside(point, node.bounds)) continue
    const found = findTopmost(node.children, point, matches) ?? (matches(node) ? node : undefined)
    if (found !== undefined) return found
  }
  return undefined
}
