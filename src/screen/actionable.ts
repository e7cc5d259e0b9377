import { area, contains } from './bounds.ts'
import { type UiNode, isTrue } from './hierarchy.ts'

/**
 * What would receive a tap on this node: itself, the nearest ancestor that takes taps or focus, or
 * else the smallest such node that covers it.
 */
export function actionableNode(node: UiNode, onScreen: readonly UiNode[]): UiNode | null {
  let at: UiNode | null = node
  for (let level = 0; at !== null && level <= MAX_CLIMB; level += 1, at = at.parent) {
    if (takesTaps(at)) return at
  }
  const { bounds } = node
  if (bounds === null) return null
  let smallest: UiNode | null = null
  for (const one of onScreen) {
    if (one.bounds === null || !takesTaps(one) || !contains(one.bounds, bounds)) continue
    if (smallest?.bounds == null || area(one.bounds) < area(smallest.bounds)) smallest = one
  }
  return smallest
}

const MAX_CLIMB = 20

function takesTaps(node: UiNode): boolean {
  return isTrue(node, 'clickable') || isTrue(node, 'focusable')
}
