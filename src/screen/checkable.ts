import { type Hierarchy, type UiNode, isTrue } from './hierarchy.ts'
import { onScreenNodes, windowOf } from './matcher.ts'

export type Checkable =
  | { readonly kind: 'found'; readonly node: UiNode }
  | { readonly kind: 'none' }
  | { readonly kind: 'several'; readonly nodes: readonly UiNode[] }

/**
 * The switch or box a node stands for: itself, the only one in it, or the only one in its row. A row
 * takes touches; where none does, it is the nearest part of the screen around the node that has any.
 */
export function checkableFor(hierarchy: Hierarchy, node: UiNode): Checkable {
  const window = windowOf(hierarchy)
  const inside = (root: UiNode) =>
    onScreenNodes([root], window).filter((one) => isTrue(one, 'checkable'))
  if (isTrue(node, 'checkable')) return { kind: 'found', node }
  const own = inside(node)
  if (own.length > 0) return only(own)
  const around = partsAround(node)
  const row =
    around.find((part) => isTrue(part, 'clickable')) ??
    around.find((part) => inside(part).length > 0)
  return row === undefined ? { kind: 'none' } : only(inside(row))
}

/** From the inside out, up to the list or page the node is part of. */
function partsAround(node: UiNode): UiNode[] {
  const parts: UiNode[] = []
  for (let part = node.parent; part !== null && !isTrue(part, 'scrollable'); part = part.parent) {
    parts.push(part)
  }
  return parts
}

function only(nodes: readonly UiNode[]): Checkable {
  const [node, ...others] = nodes
  if (node === undefined) return { kind: 'none' }
  return others.length === 0 ? { kind: 'found', node } : { kind: 'several', nodes }
}
