import type { Bounds } from './tree/bounds.ts'
import { type Hierarchy, type UiNode, attribute, isTrue } from './tree/hierarchy.ts'
import {
  type Ambiguous,
  type Missing,
  type Target,
  scanOnScreen,
  collectOnScreenNodes,
  resolveTarget,
  findWindow,
} from './matcher.ts'
import { readLabel, inferMatcherRole } from './tree/roles.ts'

export type KeyValue =
  | { readonly kind: 'found'; readonly label: UiNode; readonly value: UiNode }
  | { readonly kind: 'missing'; readonly error: 'VALUE_NODE_NOT_FOUND' }
  | Missing
  | Ambiguous

/**
 * Reads the value that belongs to a label: the first labelled node among the later siblings of the label
 * or of its ancestors, up to the row, card or list item of the label.
 */
export function readKeyValue(
  hierarchy: Hierarchy,
  target: Target,
  window: Bounds | null = findWindow(hierarchy),
): KeyValue {
  const label = resolveTarget(hierarchy, target, scanOnScreen(window))
  if (label.kind !== 'found') return label
  for (let at = label.node; at.parent !== null; at = at.parent) {
    const value = findValueAfter(at, at.parent, window)
    if (value !== undefined) return { kind: 'found', label: label.node, value }
    if (isRowBoundary(at.parent, window)) break
  }
  return { kind: 'missing', error: 'VALUE_NODE_NOT_FOUND' }
}

function findValueAfter(node: UiNode, parent: UiNode, window: Bounds | null): UiNode | undefined {
  const later = parent.children.slice(parent.children.indexOf(node) + 1)
  const labelled = collectOnScreenNodes(later, window).filter((one) => readLabel(one) !== '')
  const summary = labelled.find((one) => attribute(one, 'resource-id').endsWith('/summary'))
  return summary ?? labelled[0]
}

/**
 * A dump does not mark rows. A node counts as a row if it is clickable, a card, a child of a list, or if
 * its children are side by side.
 */
function isRowBoundary(node: UiNode, window: Bounds | null): boolean {
  if (isTrue(node, 'clickable') || inferMatcherRole(node) === 'card') return true
  const parentRole = node.parent === null ? undefined : inferMatcherRole(node.parent)
  return parentRole === 'list' || parentRole === 'grid' || isSideBySide(node, window)
}

function isSideBySide(node: UiNode, window: Bounds | null): boolean {
  const visible = node.children.filter((child) => collectOnScreenNodes([child], window).length > 0)
  const rectangles = visible.flatMap(({ bounds }) => bounds ?? [])
  return rectangles.some((one, at) => {
    const next = rectangles[at + 1]
    return next !== undefined && next.left >= one.right && next.top < one.bottom && one.top < next.bottom
  })
}
