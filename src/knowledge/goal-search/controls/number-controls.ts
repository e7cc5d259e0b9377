import type { Bounds } from '../../../screen/tree/bounds.ts'
import { attribute, isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { readLabel } from '../../../screen/tree/roles.ts'
import { findLabelBeside } from '../../../screen/structure/label-beside.ts'
import { readIdWords } from '../../../screen/structure/node-name.ts'
import { isSlider, isTextField, listAncestors, type Screen } from '../../interpret/read/screen.ts'
import type { Candidate } from './candidate.ts'
import { describeCandidate, findBox, isControl, isUnnamed, readWholeLabel } from './control-box.ts'

/** A stepper, a wheel or a slider, and the node that shows its value. */
export interface NumberControl extends Candidate {
  readonly kind: 'stepper' | 'wheel' | 'slider'
  readonly value: UiNode
  /** As shown, with its unit. */
  readonly shown: string
  readonly increase?: UiNode | undefined
  readonly decrease?: UiNode | undefined
  readonly slider?: UiNode | undefined
}

/** In reading order. */
export function listNumberControls(screen: Screen): NumberControl[] {
  const visible = new Set(screen.nodes)
  const wheels = screen.nodes.filter(isWheel)
  const inWheels = new Set(wheels.flatMap((node) => [...subtree(node)]))
  const controls = [
    ...wheels.flatMap((node) => toWheel(screen, node, visible)),
    ...screen.nodes.filter((node) => !inWheels.has(node)).flatMap((node) => toStepper(screen, node, visible)),
    ...screen.nodes.filter(isSlider).flatMap((node) => toSlider(screen, node, visible)),
  ]
  const order = new Map(screen.nodes.map((node, at) => [node, at]))
  return controls.toSorted((a, b) => (order.get(a.value) ?? 0) - (order.get(b.value) ?? 0))
}

/** A button of a stepper or a wheel changes a value. It leads nowhere. */
export const listStepButtons = (screen: Screen): ReadonlySet<UiNode> =>
  new Set(
    listNumberControls(screen).flatMap(({ increase, decrease }) =>
      [increase, decrease].filter((one) => one !== undefined),
    ),
  )

const isWheel = (node: UiNode): boolean => /NumberPicker|WheelPicker|WheelView/u.test(attribute(node, 'class'))

/** The value stands in the middle, in a field or a text. The buttons show the values beside it. */
function toWheel(screen: Screen, wheel: UiNode, visible: ReadonlySet<UiNode>): NumberControl[] {
  const inside = [...subtree(wheel)].filter((node) => node !== wheel && visible.has(node))
  const buttons = inside.filter((node) => isTrue(node, 'clickable') && !isTextField(node))
  const value = inside.find(isTextField) ?? inside.find((node) => readLabel(node) !== '' && !buttons.includes(node))
  if (value === undefined) return []
  const { top = 0 } = value.bounds ?? {}
  const decrease = buttons.find((node) => (node.bounds?.top ?? 0) < top)
  const increase = buttons.findLast((node) => (node.bounds?.top ?? 0) > top)
  const named = describeCandidate(screen, wheel, [...subtree(wheel)])
  const name = named.name === readLabel(value) || buttons.some((one) => readLabel(one) === named.name) ? '' : named.name
  return [
    { ...named, name, unnamed: isUnnamed(name), kind: 'wheel', value, shown: readLabel(value), increase, decrease },
  ]
}

/** A number between two buttons, in the smallest box that has both. */
function toStepper(screen: Screen, value: UiNode, visible: ReadonlySet<UiNode>): NumberControl[] {
  if (!isNumberText(value)) return []
  const boxes = listBoxes(value)
  const listButtons = (box: UiNode) => [...subtree(box)].filter((node) => visible.has(node) && isPlainButton(node))
  const at = boxes.slice(0, STEPPER_DEPTH).findIndex((box) => listButtons(box).length > 1)
  const box = boxes[at]
  const [one, other, ...more] = box === undefined ? [] : listButtons(box)
  if (one === undefined || other === undefined || more.length > 0) return []
  const pair = orderButtons(value, one, other)
  if (pair === undefined) return []
  const wider = at === -1 ? [] : boxes.slice(at)
  const foreign = wider.findIndex((ancestor) => listButtons(ancestor).length > 2)
  const row = wider.at(foreign === -1 ? -1 : foreign - 1)
  const name = findLabelBeside(value, screen.nodes) || (box === undefined ? '' : readIdWords(box))
  const around = [row === undefined ? '' : readWholeLabel(row), describeCandidate(screen, value).around]
  return [
    {
      kind: 'stepper',
      value,
      shown: readLabel(value),
      ...pair,
      name,
      around: around.join(' · '),
      unnamed: isUnnamed(name),
    },
  ]
}

const STEPPER_DEPTH = 3

/** The boxes around a node inside its list. */
function listBoxes(node: UiNode): UiNode[] {
  const ancestors = listAncestors(node)
  const list = ancestors.findIndex((one) => isTrue(one, 'scrollable'))
  return list === -1 ? ancestors.slice(0, MAX_BOXES) : ancestors.slice(0, Math.min(list, MAX_BOXES))
}

const MAX_BOXES = 6

const isNumberText = (node: UiNode): boolean =>
  node.children.length === 0 &&
  !isTrue(node, 'clickable') &&
  !isControl(node) &&
  /^[^\p{L}]{0,3}\p{Nd}[\p{Nd}.,]*(?:\s?\P{Nd}{0,8})$/u.test(readLabel(node).trim()) &&
  parseDisplayedNumber(readLabel(node)) !== undefined

const isPlainButton = (node: UiNode): boolean =>
  isTrue(node, 'clickable') &&
  !isControl(node) &&
  ![...subtree(node)].some((one) => one !== node && isTrue(one, 'clickable'))

/** Which button increases: both say so, or they are signs on both sides of the number. Undefined otherwise. */
function orderButtons(
  value: UiNode,
  one: UiNode,
  other: UiNode,
): { readonly increase: UiNode; readonly decrease: UiNode } | undefined {
  const [first, second] = [readDirection(one), readDirection(other)]
  if (first === 'up' && second === 'down') return { increase: one, decrease: other }
  if (first === 'down' && second === 'up') return { increase: other, decrease: one }
  if (first !== undefined || second !== undefined || !isSign(one) || !isSign(other)) return undefined
  const [a, b, middle] = [one.bounds, other.bounds, value.bounds]
  if (a === null || b === null || middle === null) return undefined
  if (isBeside(a, middle) && isBeside(middle, b)) return { increase: other, decrease: one }
  if (isBeside(b, middle) && isBeside(middle, a)) return { increase: one, decrease: other }
  if (isAbove(a, middle) && isAbove(middle, b)) return { increase: one, decrease: other }
  return isAbove(b, middle) && isAbove(middle, a) ? { increase: other, decrease: one } : undefined
}

/** Icons and single characters. */
const isSign = (node: UiNode): boolean => readWholeLabel(node).length <= 2

const isBeside = (left: Bounds, right: Bounds): boolean =>
  left.right <= right.left && left.top < right.bottom && right.top < left.bottom
const isAbove = (upper: Bounds, lower: Bounds): boolean =>
  upper.bottom <= lower.top && upper.left < lower.right && lower.left < upper.right

function readDirection(node: UiNode): 'up' | 'down' | undefined {
  const label = `${attribute(node, 'text')} ${attribute(node, 'content-desc')}`.toLowerCase()
  if (DOWN.test(label)) return 'down'
  return UP.test(label) ? 'up' : undefined
}

const UP =
  /[+＋▲↑]|(?<!\p{L})(?:increase|increment|plus|more|up|higher|raise|add one|warmer|erhöhen|mehr|höher|wärmer|augmenter|aumentar|más|subir|incrementar|aumenta|più|mais|verhogen|meer|hoger|omhoog)(?!\p{L})/u
const DOWN =
  /^\s*[-−–]|[▼↓]|(?<!\p{L})(?:decrease|decrement|minus|less|fewer|down|lower|reduce|cooler|verringern|weniger|senken|niedriger|kälter|diminuer|moins|réduire|disminuir|menos|bajar|reducir|diminuisci|meno|riduci|diminuir|reduzir|verlagen|minder|lager|omlaag)(?!\p{L})/u

/** A slider whose number is shown: by itself or by a text in its box. */
function toSlider(screen: Screen, slider: UiNode, visible: ReadonlySet<UiNode>): NumberControl[] {
  const box = findBox(slider)
  const inside = box === undefined ? [] : [...subtree(box)].filter((node) => visible.has(node) && isNumberText(node))
  const value = [slider, ...inside].find((node) => parseDisplayedNumber(readLabel(node)) !== undefined)
  if (value === undefined) return []
  return [{ ...describeCandidate(screen, slider), kind: 'slider', value, shown: readLabel(value), slider }]
}
