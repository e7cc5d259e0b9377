import { describeWay, followWay } from '../../../screen/structure/flat-rows.ts'
import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { isBelowOrAbove } from '../../../screen/menu.ts'
import { isFloatingWindow, isPlaceTaken, readLayout } from '../../../screen/page-layout.ts'
import type { Proof } from '../prove/proof.ts'
import { findCounterpart } from '../read/counterpart.ts'
import type { Intent } from '../read/intent.ts'
import { isOnlyMeaning } from '../../../screen/words/words.ts'
import { listTextNodes, readText } from '../read/node-text.ts'
import { classifyRow, findRowAround, findRowByText } from '../read/rows.ts'
import { isInside, isSameKind, isSameView, listAncestors, type Screen } from '../read/screen.ts'

/**
 * Whether the control of a press may mean the opposite when its label is another one: Follow that became Unfollow. Such
 * a control is found by what it says only, never by its place.
 */
export function mayUndo(intent: Intent, earlier: readonly Intent[], proof: Proof | undefined, next?: Intent): boolean {
  if (intent.kind !== 'press' || isTab(intent)) return false
  const claims = proof?.claims ?? []
  // After a message, what is absent is the offer that was pressed.
  const removes = proof?.message === undefined && claims.some(({ check }) => check.kind === 'absent')
  if (opensForm(intent, next)) return false
  // What is to be removed is there, so a menu offers to remove it, whatever its words are.
  if (isInMenu(intent) && !commitsValues(intent, earlier)) return !removes
  const setsState = claims.some(({ is_state }) => is_state === true)
  if (proof !== undefined && isGoneAfterwards(intent, proof.end)) return false
  // A question that is asked first may ask about the opposite.
  const asksFirst = intent.after?.is_dialog === true && setsState
  if ((opensNewScreen(intent, earlier) && !asksFirst) || commitsValues(intent, earlier)) return false
  // What opens when an entry is chosen shows the entry; what opens after a press asks about it.
  if (earlier.at(-1)?.kind === 'press' && answersQuestion(intent)) return false
  if (setsState) return true
  return !removes && !claims.some(({ inputs }) => inputs.length > 0)
}

/** The press shows what the next step fills in or chooses from. */
function opensForm({ before }: Intent, next: Intent | undefined): boolean {
  if (before === undefined || next?.node === undefined) return false
  if (!SETTING_KINDS.has(next.kind) && next.kind !== 'choose') return false
  // In another window other nodes have the same paths.
  const isWindow = next.before !== undefined && next.before.is_dialog && !before.is_dialog
  return isWindow || findCounterpart(next.node, before) === undefined
}

/** A tab or an entry of the navigation leads somewhere and does nothing else. */
function isTab({ node }: Intent): boolean {
  const row = node && findRowAround(node)
  return row !== undefined && classifyRow(row) === 'navigation'
}

/** Whether the page shows no such control at that place once the work is done. One that undid it would stand there. */
function isGoneAfterwards({ node, before, entry }: Intent, end: Screen): boolean {
  const [first] = end.nodes
  if (node !== undefined && entry !== undefined) {
    const row = findRowByText(entry.cell.text, end)
    return row !== undefined && followWay(row.node, describeWay(entry.row.node, node)) === undefined
  }
  if (first === undefined || before === undefined || node === undefined || !isSameView(before, end)) return false
  return readLayout(node).some((part) => part.node === node) && !isPlaceTaken(node, first)
}

/**
 * A window of touchable rows below each other, or without a text of its own. Which rows it has depends on the state of
 * what it is about.
 */
function isInMenu(intent: Intent): boolean {
  const { node, before } = intent
  if (node === undefined || before === undefined || !(before.is_dialog || isFloatingWindow(node))) return false
  if (countControls(before) > 1 && listOwnTexts(node, before).length === 0) return true
  if (answersQuestion(intent)) return false
  return before.nodes.some((one) => one !== node && isTrue(one, 'clickable') && isBelowOrAbove(one, node))
}

const countControls = ({ nodes }: Screen): number => nodes.filter((one) => isTrue(one, 'clickable')).length

/** The texts of the window of a node outside its controls. */
function listOwnTexts(node: UiNode, { nodes }: Screen): UiNode[] {
  const root = listAncestors(node).at(-1) ?? node
  const controls = nodes.filter((one) => isTrue(one, 'clickable'))
  return listTextNodes(root).filter((one) => !controls.some((control) => isInside(one, control)))
}

/** The press leads to a page or window that was not there before. One that leads back has done something. */
function opensNewScreen({ before, after }: Intent, earlier: readonly Intent[]): boolean {
  if (before === undefined || after === undefined || isSameView(before, after)) return false
  return !listScreens(earlier).some((screen) => isSameKind(screen, after)) && !isSameKind(before, after)
}

function listScreens(intents: readonly Intent[]): Screen[] {
  return intents.flatMap(({ before }) => before ?? [])
}

const SETTING_KINDS: ReadonlySet<Intent['kind']> = new Set(['type', 'adjust', 'pick', 'date', 'toggle', 'slide'])

/** The press ends a form that was filled in before. */
function commitsValues({ before }: Intent, earlier: readonly Intent[]): boolean {
  return earlier.some(
    (one) =>
      SETTING_KINDS.has(one.kind) &&
      one.before !== undefined &&
      before !== undefined &&
      (one.before === before || isSameKind(one.before, before)),
  )
}

/** The press answers a dialog: a text and a few buttons, one of which dismisses it. A menu has no text of its own. */
function answersQuestion({ node, before }: Intent): boolean {
  if (node === undefined || before === undefined || !(before.is_dialog || isFloatingWindow(node))) return false
  const canDismiss = before.nodes.some(
    (one) => one !== node && isTrue(one, 'clickable') && isOnlyMeaning(readText(one), 'dismiss'),
  )
  return countControls(before) <= MAX_ANSWERS && listOwnTexts(node, before).length > 0 && canDismiss
}

const MAX_ANSWERS = 3
