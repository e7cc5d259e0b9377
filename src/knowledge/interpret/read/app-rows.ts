import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import { maskText } from '../../../screen/structure/mask-text.ts'
import { findKind } from '../../../screen/structure/node-kind.ts'
import { CATALOGUE } from '../words/catalogue.ts'
import { type GoalWords, listWords, toStem } from './goal.ts'
import { isReadable, type Row } from './rows.ts'
import { isInside, isTextField, type Screen } from './screen.ts'

/** Whether a row belongs to the app and not to its data: a bar, a button, a field of a form, an entry of a menu. */
export function isAppRow(row: Row, screen: Screen, goal: GoalWords): boolean {
  return isTopBar(row, screen) || isButtonAmongRows(row) || opensChoices(row) || isFormOrMenu(row, screen, goal)
}

/** A bar at the upper edge of a window: it does not scroll and is one of few. */
function isTopBar({ node, group }: Row, { nodes, is_dialog }: Screen): boolean {
  const window = nodes[0]?.bounds
  if (is_dialog || group.scroller !== undefined || group.members.length > MAX_BARS) return false
  if (window == null || node.bounds === null) return false
  return node.bounds.top < window.top + (window.bottom - window.top) * TOP_SHARE
}

const MAX_BARS = 3
const TOP_SHARE = 0.07

/** A button that stands among rows of another kind. */
function isButtonAmongRows({ node, group }: Row): boolean {
  const isButton = (one: UiNode) => findKind(one, true) === 'button'
  return isButton(node) && !group.members.every(isButton)
}

/** A row that shows its value and a mark that it opens a list of values. */
function opensChoices({ node }: Row): boolean {
  for (const one of subtree(node)) {
    if (attribute(one, 'class').endsWith('Spinner') || OPENS_CHOICES.test(attribute(one, 'text').trim())) return true
  }
  return false
}

const OPENS_CHOICES = /^[▾▼⏷⌄⯆🔽]$/u

/** Rows beside text fields, and the few rows of a page that does not scroll, if they are named by words of apps. */
function isFormOrMenu(row: Row, screen: Screen, goal: GoalWords): boolean {
  const { group, node } = row
  if (group.members.length > MAX_ROWS || (group.scroller !== undefined && isTrue(group.scroller, 'scrollable'))) {
    return false
  }
  const labels = group.members.map(readFirstText)
  const known = labels.filter((label) => isAppLabel(label, goal)).length
  if (!isAppLabel(readFirstText(node), goal) || known < labels.length * KNOWN_SHARE) return false
  return isBesideField(row, screen) || !hasCommonMeasure(group.members)
}

const MAX_ROWS = 9
const KNOWN_SHARE = 0.66

function readFirstText(row: UiNode): string {
  return listCells(row).find(({ text }) => isReadable(text))?.text ?? ''
}

/** Whether all words of a label are words of most apps or of the goal. */
export function isAppLabel(label: string, goal: GoalWords): boolean {
  const words = listWords(label)
  return words.length > 0 && words.every((word) => isKnownWord(word, goal)) && !/\p{N}/u.test(label)
}

function isKnownWord(word: string, { stems }: GoalWords): boolean {
  const stem = toStem(word)
  return CATALOGUE.has(word) || CATALOGUE.has(stem) || stems.has(stem)
}

/** Whether a text field stands in the same box or in what scrolls the rows. */
function isBesideField({ node, group }: Row, { nodes }: Screen): boolean {
  const form = group.scroller ?? group.holder
  return nodes.some((one) => isTextField(one) && isInside(one, form) && !isInside(one, node))
}

/** Whether most rows show a number, a date or an amount in the same words: they are counted, dated or priced things. */
function hasCommonMeasure(members: readonly UiNode[]): boolean {
  const counts = new Map<string, number>()
  for (const member of members) {
    const masked = new Set(listCells(member).map(({ text }) => maskText(text).toLowerCase()))
    for (const text of masked) if (text.includes('#')) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return members.length > 1 && Math.max(0, ...counts.values()) >= members.length * KNOWN_SHARE
}
