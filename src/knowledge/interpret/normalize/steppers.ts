import { type Bounds, centre } from '../../../screen/tree/bounds.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { isOnDial } from '../read/dials.ts'
import type { Adjustment } from '../read/intent.ts'
import { readText } from '../read/node-text.ts'
import { findNode, isInside, listAncestors, type Screen } from '../read/screen.ts'
import { findNumberChanges, type NumberChange } from './number-changes.ts'
import { findWheelTurn } from './wheels.ts'

/**
 * A stepper is a button that stays where it is and changes a number. The number lies between it and a button like it, or
 * the words of the button say that it steps. Then other numbers, such as a total, may change too.
 */
export function findStepperChange(button: UiNode, before: Screen, after: Screen): Adjustment | undefined {
  const turned = findWheelTurn(button, after)
  if (turned !== undefined) return turned
  if (!staysAsItIs(button, after) || movesSelection(before, after) || isOnDial(button)) return undefined
  const buttons = before.nodes.filter((node) => isTrue(node, 'clickable') && !isPartOf(node, button))
  const changes = findNumberChanges(before.nodes, after).filter(
    ({ node }) => !isPartOf(node, button) && staysInPlace(node, after),
  )
  const paired = changes.flatMap((change) => {
    const opposite = findMirrored(button, change.node, buttons)
    return opposite === undefined || isPartOf(change.node, opposite) ? [] : [{ change, opposite }]
  })
  // A box and the text in it show the same number.
  const [pair] = paired.filter(({ change }) => !paired.some((other) => isBelow(other.change.node, change.node)))
  if (pair !== undefined) return toAdjustment(pair.change, button, pair.opposite)
  return findNamedStep(button, changes, buttons)
}

function toAdjustment(
  { node: value, from, to }: NumberChange,
  button: UiNode,
  opposite: UiNode | undefined,
): Adjustment {
  const isIncrease = to > from
  return { value, from, to, increase: isIncrease ? button : opposite, decrease: isIncrease ? opposite : button }
}

/** The button is still there, with the same place and state. */
function staysAsItIs(button: UiNode, after: Screen): boolean {
  const now = findNode(after, button.path)
  return (
    now !== undefined && STATES.every((name) => attribute(now, name) === attribute(button, name)) && isNear(button, now)
  )
}

const STATES = ['class', 'selected', 'checked'] as const

function staysInPlace(node: UiNode, after: Screen): boolean {
  const now = findNode(after, node.path)
  return now !== undefined && isNear(node, now)
}

function isNear({ bounds: one }: UiNode, { bounds: other }: UiNode): boolean {
  if (one === null || other === null) return one === other
  return Math.abs(one.top - other.top) <= MAX_SHIFT && Math.abs(centre(one).x - centre(other).x) <= MAX_SHIFT
}

/** A longer number may move what is beside it a little. */
const MAX_SHIFT = 60

/** Another option, tab or entry is selected now. */
function movesSelection(before: Screen, after: Screen): boolean {
  return before.nodes.some((node) => {
    if (!isTrue(node, 'selected') && !isTrue(node, 'checked')) return false
    const now = findNode(after, node.path)
    return now !== undefined && !isTrue(now, 'selected') && !isTrue(now, 'checked')
  })
}

/** The other button of a stepper: in one line with the number and the first button, as far from it and as large. */
function findMirrored(button: UiNode, value: UiNode, buttons: readonly UiNode[]): UiNode | undefined {
  const [own, number] = [button.bounds, value.bounds]
  if (own === null || number === null) return undefined
  const [from, at] = [centre(own), centre(number)]
  const [width, height] = measure(own)
  const [x, y] = [2 * at.x - from.x, 2 * at.y - from.y]
  const isBeside = Math.abs(at.y - from.y) <= height / 2 && !overlaps(own, number, 'x')
  const isAbove = Math.abs(at.x - from.x) <= width / 2 && !overlaps(own, number, 'y')
  if (!isBeside && !isAbove) return undefined
  return buttons.find((node) => {
    if (node.bounds === null || isPartOf(node, value) || isPartOf(value, node)) return false
    const [otherWidth, otherHeight] = measure(node.bounds)
    const to = centre(node.bounds)
    if (!isClose(width, otherWidth) || !isClose(height, otherHeight)) return false
    if (overlaps(node.bounds, number, isBeside ? 'x' : 'y')) return false
    return isBeside
      ? Math.abs(to.y - from.y) <= height / 2 && Math.abs(to.x - x) <= width
      : Math.abs(to.x - from.x) <= width / 2 && Math.abs(to.y - y) <= height
  })
}

/** Whether two boxes overlap by more than their edges. */
function overlaps(one: Bounds, other: Bounds, axis: 'x' | 'y'): boolean {
  const shared =
    axis === 'x'
      ? Math.min(one.right, other.right) - Math.max(one.left, other.left)
      : Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return shared > MAX_OVERLAP
}

const MAX_OVERLAP = 12

const measure = ({ left, top, right, bottom }: Bounds): [number, number] => [right - left, bottom - top]
const isClose = (one: number, other: number): boolean => Math.abs(one - other) <= MAX_DIFFERENCE * Math.max(one, other)
const MAX_DIFFERENCE = 0.3

/** A button whose words say that it steps sets the nearest number, in the smallest box that has one. */
function findNamedStep(
  button: UiNode,
  changes: readonly NumberChange[],
  buttons: readonly UiNode[],
): Adjustment | undefined {
  const isPair = (others: readonly UiNode[]) => others.length === 1 && isPlain(button) && others.every(isPlain)
  const plain = changes.filter(({ node }) => !isTrue(node, 'clickable') && !isInButton(node, buttons))
  for (const holder of listAncestors(button)) {
    const [change, ...more] = plain.filter(({ node }) => isBelow(node, holder))
    if (change === undefined) continue
    if (more.length > 0) return undefined
    const others = buttons.filter((node) => isBelow(node, holder) && !isBelow(node, change.node))
    const opposite = others.find((node) => isOppositeLabel(button, node)) ?? (isPair(others) ? others[0] : undefined)
    return opposite !== undefined || isStepLabel(button) ? toAdjustment(change, button, opposite) : undefined
  }
  return undefined
}

/** The label of a button belongs to it, however it changes. */
const isInButton = (node: UiNode, buttons: readonly UiNode[]): boolean =>
  buttons.some((one) => isBelow(node, one) && one.children.length <= MAX_PARTS)

const MAX_PARTS = 3

const readButton = (button: UiNode): string =>
  readText(button) || [...subtree(button)].map(readText).find((text) => text !== '') || ''

/** A sign or an icon. */
const isPlain = (button: UiNode): boolean => readButton(button).length <= 2

function isStepLabel(button: UiNode): boolean {
  const label = readButton(button).trim()
  return SIGN.test(label) || STEP_WORD.test(label)
}

/** "More" and "Less": both say that they step. */
const isOppositeLabel = (button: UiNode, other: UiNode): boolean =>
  isStepLabel(button) && isStepLabel(other) && readButton(button) !== readButton(other)

const SIGN = /^[-+\u2212\u2013<>\u2039\u203a\u25b2\u25bc＋－]$/
const STEP_WORD =
  /(?:^|\P{L})(?:more|less|fewer|increase|decrease|plus|minus|next|previous|up|down|raise|lower|higher|later|earlier|mehr|weniger|erhöhen|verringern|moins|más|menos|più|meno|meer|minder|augmenter|diminuer|aumentar|disminuir|aumenta|diminuisci|verhogen|verlagen)(?:\P{L}|$)/iu

const isPartOf = (node: UiNode, holder: UiNode): boolean => isInside(node, holder)
const isBelow = (node: UiNode, holder: UiNode): boolean => node !== holder && isInside(node, holder)
