import { area, contains } from './tree/bounds.ts'
import { type UiNode, isTrue } from './tree/hierarchy.ts'

/**
 * Finds the node that receives a tap on the given node: the node itself, the nearest ancestor that is
 * clickable or focusable, or else the smallest such node whose bounds contain it.
 */
export function findActionableNode(node: UiNode, onScreen: readonly UiNode[]): UiNode | null {
  let at: UiNode | null = node
  for (let level = 0; at !== null && level <= MAX_ANCESTORS; level += 1, at = at.parent) {
    if (isTappable(at)) return at
  }
  const { bounds } = node
  if (bounds === null) return null
  let smallest: UiNode | null = null
  for (const one of onScreen) {
    if (one.bounds === null || !isTappable(one) || !contains(one.bounds, bounds)) continue
    if (smallest?.bounds == null || area(one.bounds) < area(smallest.bounds)) smallest = one
  }
  return smallest
}

const MAX_ANCESTORS = 20

function isTappable(node: UiNode): boolean {
  return isTrue(node, 'clickable') || isTrue(node, 'focusable')
}
