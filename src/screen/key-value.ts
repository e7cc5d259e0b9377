import type { Bounds } from './bounds.ts'
import { type Hierarchy, type UiNode, attribute, isTrue } from './hierarchy.ts'
import {
  type Ambiguous,
  type Missing,
  type Target,
  onScreen,
  onScreenNodes,
  resolveTarget,
  windowOf,
} from './matcher.ts'
import { labelOf, matcherRole } from './roles.ts'

export type KeyValue =
  | { readonly kind: 'found'; readonly label: UiNode; readonly value: UiNode }
  | { readonly kind: 'missing'; readonly error: 'VALUE_NODE_NOT_FOUND' }
  | Missing
  | Ambiguous

/**
 * The value that stands with a label: in the first later sibling that says something, at the label's
 * own level or further up, but never beyond the row, card or list item the label belongs to.
 */
export function readKeyValue(
  hierarchy: Hierarchy,
  target: Target,
  window: Bounds | null = windowOf(hierarchy),
): KeyValue {
  const label = resolveTarget(hierarchy, target, onScreen(window))
  if (label.kind !== 'found') return label
  for (let at = label.node; at.parent !== null; at = at.parent) {
    const value = valueAfter(at, at.parent, window)
    if (value !== undefined) return { kind: 'found', label: label.node, value }
    if (isRowBoundary(at.parent, window)) break
  }
  return { kind: 'missing', error: 'VALUE_NODE_NOT_FOUND' }
}

function valueAfter(node: UiNode, parent: UiNode, window: Bounds | null): UiNode | undefined {
  const later = parent.children.slice(parent.children.indexOf(node) + 1)
  const labelled = onScreenNodes(later, window).filter((one) => labelOf(one) !== '')
  const summary = labelled.find((one) => attribute(one, 'resource-id').endsWith('/summary'))
  return summary ?? labelled[0]
}

/**
 * A dump does not say which layout is a row, so the signs of one are read: something to tap, a card, a
 * child of a list, or children that stand side by side.
 */
function isRowBoundary(node: UiNode, window: Bounds | null): boolean {
  if (isTrue(node, 'clickable') || matcherRole(node) === 'card') return true
  const holder = node.parent === null ? undefined : matcherRole(node.parent)
  return holder === 'list' || holder === 'grid' || isSideBySide(node, window)
}

function isSideBySide(node: UiNode, window: Bounds | null): boolean {
  const shown = node.children.filter((child) => onScreenNodes([child], window).length > 0)
  const rectangles = shown.flatMap(({ bounds }) => bounds ?? [])
  return rectangles.some((one, at) => {
    const next = rectangles[at + 1]
    return (
      next !== undefined && next.left >= one.right && next.top < one.bottom && one.top < next.bottom
    )
  })
}
