import { isFloatingWindow } from './page-layout.ts'
import { findKind } from './structure/node-kind.ts'
import { type UiNode, isTrue, subtree } from './tree/hierarchy.ts'

/**
 * Whether a control is a row of a menu: another control in its small window lies above or below it with the same edges.
 * Buttons of a question stand side by side or have their own widths.
 */
export function isMenuRow(node: UiNode): boolean {
  if (!isFloatingWindow(node)) return false
  let root = node
  while (root.parent !== null) root = root.parent
  const nodes = [...subtree(root)]
  if (nodes.some(isSettable)) return false
  return nodes.some((one) => one !== node && isTrue(one, 'clickable') && isBelowOrAbove(one, node))
}

/** A window with fields or boxes is a form. */
const isSettable = (node: UiNode): boolean => isTrue(node, 'checkable') || findKind(node, true) === 'field'

/** Whether two wide controls lie close below each other between the same edges. */
export function isBelowOrAbove({ bounds: one }: UiNode, { bounds: other }: UiNode): boolean {
  if (one === null || other === null || one.left !== other.left || one.right !== other.right) return false
  const height = other.bottom - other.top
  const gap = Math.max(one.top - other.bottom, other.top - one.bottom)
  return gap >= 0 && gap < height && other.right - other.left > height * MENU_WIDTH
}

const MENU_WIDTH = 3
