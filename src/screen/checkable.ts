import { type Hierarchy, type UiNode, isTrue } from './tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from './matcher.ts'

export type Checkable =
  | { readonly kind: 'found'; readonly node: UiNode }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly nodes: readonly UiNode[] }

/**
 * Finds the checkable control of a node: the node itself, the only checkable node in it, or the only one
 * in its row. The row is the nearest clickable ancestor, or else the nearest ancestor with a checkable.
 */
export function findCheckable(hierarchy: Hierarchy, node: UiNode): Checkable {
  const window = findWindow(hierarchy)
  const inside = (root: UiNode) => collectOnScreenNodes([root], window).filter((one) => isTrue(one, 'checkable'))
  if (isTrue(node, 'checkable')) return { kind: 'found', node }
  const own = inside(node)
  if (own.length > 0) return toCheckable(own)
  const ancestors = listAncestors(node)
  const row =
    ancestors.find((ancestor) => isTrue(ancestor, 'clickable')) ??
    ancestors.find((ancestor) => inside(ancestor).length > 0)
  return row === undefined ? { kind: 'none' } : toCheckable(inside(row))
}

/** The ancestors below the nearest scrollable container, innermost first. */
function listAncestors(node: UiNode): UiNode[] {
  const ancestors: UiNode[] = []
  for (let at = node.parent; at !== null && !isTrue(at, 'scrollable'); at = at.parent) {
    ancestors.push(at)
  }
  return ancestors
}

function toCheckable(nodes: readonly UiNode[]): Checkable {
  const [node, ...others] = nodes
  if (node === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'found', node } : { kind: 'several', nodes }
}
