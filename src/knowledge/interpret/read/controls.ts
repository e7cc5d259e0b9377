import { inferElementRole } from '../../../screen/tree/element-traits.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { findShownValue } from '../../../screen/shown-value/shown-value.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import type { Intent } from './intent.ts'
import { readText } from './node-text.ts'
import type { Row } from './rows.ts'
import { isInside, isSameKind, isSameView, type Screen } from './screen.ts'
import { isStructuralText } from './structural-text.ts'

/** The control that a tap on a node switches: the node itself, or the only checkable node inside it. */
export function findCheckable(node: UiNode, { nodes }: Screen): UiNode | undefined {
  if (isTrue(node, 'checkable')) return node
  const inside = nodes.filter((one) => isTrue(one, 'checkable') && isInside(one, node))
  return inside.length === 1 ? inside[0] : undefined
}

export function isRadio(node: UiNode): boolean {
  return inferElementRole(attribute(node, 'class')) === 'radio'
}

/** Several check boxes with a label each, of which any may be checked. */
export function isBoxList({ group }: Row): boolean {
  const boxes = group.members.map((member) => [...subtree(member)].filter((one) => isTrue(one, 'checkable')))
  return boxes.length >= MIN_BOXES && boxes.every((inside) => inside.length === 1)
}

const MIN_BOXES = 3

const MAX_FIELDS = 4

/** A row with a label and a value: its window is answered with the next tap, and the row then shows the answer. */
export function isDropDown(intent: Intent, row: Row, name: string, later: readonly Intent[]): boolean {
  const { before, after: window } = intent
  const [, next, ...rest] = later
  if (
    intent.kind !== 'press' ||
    window === undefined ||
    before === undefined ||
    next?.node === undefined ||
    next.before === undefined
  )
    return false
  // An entry of a longer list, or one whose page has more to fill in, is no field.
  const isField = row.group.members.length <= MAX_FIELDS || row.group.scroller === undefined
  const closesAtOnce = next.after !== undefined && isSameView(before, next.after)
  if (isSameView(before, window) || !isField || !(window.is_dialog || closesAtOnce)) return false
  if (!isSameKind(next.before, window) || !isStructuralText(name)) return false
  const answers = [...subtree(next.node)].map(readText).filter((text) => text !== '' && text !== name)
  const closed = [next, ...rest].find(({ after }) => after !== undefined && isSameView(before, after))
  const now = closed?.after?.nodes.find(({ path }) => path === row.node.path)
  if (now === undefined || answers.length === 0) return false
  const [old, shown] = [row.node, now].map((node) => listCells(node).map(({ text }) => text))
  if (old === undefined || shown === undefined || !shown.includes(name)) return false
  const changed = shown.filter((text) => !old.includes(text))
  return changed.length === 1 && answers.some((answer) => findShownValue(changed[0] ?? '', answer) !== undefined)
}
