import { readCaption } from '../../../screen/control-actions.ts'
import { isFloatingWindow } from '../../../screen/page-layout.ts'
import { listPanelAround } from '../../../screen/panel-around.ts'
import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { isAkin } from '../../../screen/words/actions/other-label.ts'
import { isOnlyMeaning } from '../../../screen/words/words.ts'
import type { Intent } from '../read/intent.ts'
import { listTextNodes, readText } from '../read/node-text.ts'
import { isInside, isSameView, isTextField, type Screen } from '../read/screen.ts'

/**
 * Whether a press does nothing but open something, so that it may be repeated if it was lost: the page of an entry, a
 * menu, or a question that the next press answers.
 */
export function onlyOpens(intent: Intent, next: Intent | undefined): boolean {
  const { before, node } = intent
  if (node === undefined || before === undefined || next?.before === undefined || next.node === undefined) return false
  const window = listWindow(next.node, next.before)
  if (window.includes(node)) return false
  if (window.length > 0) return isMenu(window) || asksAbout(node, window, next)
  return !isSameView(before, next.before) && opensEntry(intent)
}

/** The nodes of the window, sheet or question that a node is in. Empty on a page. */
function listWindow(node: UiNode, { nodes, is_dialog }: Screen): readonly UiNode[] {
  if (is_dialog || isFloatingWindow(node)) return nodes
  return listPanelAround(node).flatMap((part) => [...subtree(part)])
}

/** The touch of a row itself leads to its page. A control in a row may do something. */
function opensEntry({ kind, gesture, node, entry, before }: Intent): boolean {
  if (kind !== 'choose' || gesture !== 'tap' || entry === undefined || node === undefined) return false
  if (before === undefined || before.is_dialog) return false
  const controls = before.nodes.filter((one) => isTrue(one, 'clickable') && isInside(one, entry.row.node))
  return controls.length <= 1 || controls.every((one) => one === entry.row.node || !isInside(node, one))
}

/** A window that holds nothing but several controls. */
function isMenu(window: readonly UiNode[]): boolean {
  return listControls(window).length > 1 && listOwnTexts(window).length === 0 && !window.some(isSettable)
}

/** A window with a text and a few buttons. The next press says the same as the one that opened it, or another one leaves it. */
function asksAbout(opener: UiNode, window: readonly UiNode[], { kind, node }: Intent): boolean {
  const controls = listControls(window)
  const isLeaving = (one: UiNode) => listTextNodes(one).some((text) => isOnlyMeaning(readText(text), 'dismiss'))
  if (kind !== 'press' || node === undefined || window.some(isSettable)) return false
  if (controls.length > MAX_ANSWERS || listOwnTexts(window).length === 0) return false
  if (isLeaving(node)) return false
  const canLeave = controls.some((one) => isLeaving(one) && !isInside(node, one))
  return canLeave || (controls.length > 1 && isAkin(readCaption(node), readCaption(opener)))
}

const MAX_ANSWERS = 3

const listControls = (window: readonly UiNode[]): UiNode[] => window.filter((one) => isTrue(one, 'clickable'))

const isSettable = (node: UiNode): boolean => isTrue(node, 'checkable') || isTextField(node)

/** The texts of a window outside its controls. */
function listOwnTexts(window: readonly UiNode[]): UiNode[] {
  const controls = listControls(window)
  return window.filter((one) => readText(one) !== '' && !controls.some((control) => isInside(one, control)))
}
