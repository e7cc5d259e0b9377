import { centre } from '../../../screen/tree/bounds.ts'
import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { maskText } from '../../../screen/structure/mask-text.ts'
import { type Adjustment, type Intent, isTap, joinIntents } from '../read/intent.ts'
import { formatId, readText } from '../read/node-text.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { findNode, isSameView, isSlider, listAncestors, type Screen } from '../read/screen.ts'

/** Reads taps on a stepper and moves of a slider as setting a number. Consecutive ones are joined. */
export function joinAdjustments(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents: Intent[] = []
  for (const raw of trace.intents) {
    const intent = toAdjustment(raw)
    const previous = intents.at(-1)
    if (previous === undefined || !isSameValue(previous, intent)) {
      intents.push(intent)
      continue
    }
    intents.pop()
    const name = nameValue(previous)
    pruned.push(toPruned([intent], 'repeat_collapsed', `Several touches that set ${name} together`))
    const joined = joinIntents([previous, intent], {
      adjustment: mergeAdjustments(previous, intent),
    })
    if (joined.adjustment?.from !== joined.adjustment?.to) intents.push(joined)
    else pruned.push(toPruned([previous], 'no_effect', `${name} ended at its old value`))
  }
  return { ...trace, intents, pruned }
}

function toAdjustment(intent: Intent): Intent {
  const { kind, node, before, after, pinned } = intent
  if (pinned === true || (!isTap(intent) && kind !== 'slide')) return intent
  if (node === undefined || before === undefined || after === undefined) return intent
  if (!isSameView(before, after)) return intent
  const adjustment = isSlider(node) ? findSliderChange(node, before, after) : findStepperChange(node, before, after)
  if (adjustment !== undefined) return { ...intent, kind: 'adjust', adjustment }
  return isSlider(node) ? { ...intent, kind: 'slide' } : intent
}

function isSameValue(previous: Intent, intent: Intent): boolean {
  const [one, other] = [previous.adjustment?.value, intent.adjustment?.value]
  if (previous.pinned === true || intent.pinned === true) return false
  if (one === undefined || other === undefined) return false
  if (previous.before === undefined || intent.before === undefined) return false
  return one.path === other.path && isSameView(previous.before, intent.before)
}

function mergeAdjustments(previous: Intent, intent: Intent): Adjustment | undefined {
  const [one, other] = [previous.adjustment, intent.adjustment]
  if (one === undefined || other === undefined) return one
  const findInFirst = (node: UiNode | undefined) => node && previous.before && findNode(previous.before, node.path)
  return {
    ...one,
    increase: one.increase ?? findInFirst(other.increase),
    decrease: one.decrease ?? findInFirst(other.decrease),
    slider: one.slider ?? findInFirst(other.slider),
    to: other.to,
  }
}

interface NumberChange {
  readonly node: UiNode
  readonly from: number
  readonly to: number
}

/**
 * A stepper is a button near the only number it changes. It has a second button that undoes it, or its label says that it
 * steps.
 */
function findStepperChange(button: UiNode, before: Screen, after: Screen): Adjustment | undefined {
  for (const holder of listAncestors(button).slice(0, STEPPER_DEPTH)) {
    const inside = before.nodes.filter((node) => isBelow(node, holder))
    const changes = findNumberChanges(inside, after).filter(({ node }) => !isTrue(node, 'clickable'))
    const [change] = changes
    if (change === undefined) continue
    if (changes.length > 1) return undefined
    const buttons = inside.filter((node) => isTrue(node, 'clickable'))
    const counterpart = findOpposite(button, change.node, buttons)
    if (counterpart === undefined && !isStepLabel(button)) return undefined
    const isIncrease = change.to > change.from
    return {
      value: change.node,
      from: change.from,
      to: change.to,
      increase: isIncrease ? button : counterpart,
      decrease: isIncrease ? counterpart : button,
    }
  }
  return undefined
}

const STEPPER_DEPTH = 3

function isStepLabel(button: UiNode): boolean {
  const label = readText(button) || [...subtree(button)].map(readText).find((text) => text !== '') || ''
  return SIGN.test(label.trim()) || STEP_WORD.test(label)
}

const SIGN = /^[-+\u2212\u2013<>\u2039\u203a\u25b2\u25bc]$/
const STEP_WORD =
  /(?:^|\P{L})(?:more|less|fewer|increase|decrease|plus|minus|next|previous|up|down|mehr|weniger|erhöhen|verringern|plus|moins|más|menos|più|meno|meer|minder)(?:\P{L}|$)/iu

/** The other button of a stepper: on the other side of the number, as far from it and as large as the first. */
function findOpposite(button: UiNode, value: UiNode, buttons: readonly UiNode[]): UiNode | undefined {
  const others = buttons.filter((node) => node !== button && !isBelow(node, button) && !isBelow(button, node))
  if (others.length === 1 && buttons.length === 2) return others[0]
  if (button.bounds === null || value.bounds === null) return undefined
  const [from, at] = [centre(button.bounds), centre(value.bounds)]
  const mirrored = { x: 2 * at.x - from.x, y: 2 * at.y - from.y }
  const reach = Math.max(button.bounds.right - button.bounds.left, button.bounds.bottom - button.bounds.top)
  return others.find(({ bounds }) => {
    if (bounds === null) return false
    const to = centre(bounds)
    return Math.hypot(to.x - mirrored.x, to.y - mirrored.y) <= reach
  })
}

/** Of the numbers that changed, the slider sets the nearest one. */
function findSliderChange(slider: UiNode, before: Screen, after: Screen): Adjustment | undefined {
  const distance = ({ node }: NumberChange) => Math.abs(middle(node) - middle(slider))
  const changes = findNumberChanges(before.nodes, after)
  const [change] = changes.toSorted((a, b) => distance(a) - distance(b))
  return change && { value: change.node, slider, from: change.from, to: change.to }
}

function middle({ bounds }: UiNode): number {
  return bounds === null ? Number.MAX_SAFE_INTEGER : centre(bounds).y
}

/** The labels of which only the number changed. */
function findNumberChanges(nodes: readonly UiNode[], after: Screen): NumberChange[] {
  return nodes.flatMap((node) => {
    const now = findNode(after, node.path)
    if (now === undefined) return []
    const [oldText, newText] = [readText(node), readText(now)]
    const [from, to] = [parseDisplayedNumber(oldText), parseDisplayedNumber(newText)]
    if (from === undefined || to === undefined || from === to) return []
    return isSameApartFromNumber(oldText, newText) ? [{ node, from, to }] : []
  })
}

/** "1 time" and "2 times" differ in the number and the ending of a word. */
function isSameApartFromNumber(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => maskText(text).split(' '))
  if (a === undefined || b === undefined || a.length !== b.length) return false
  return a.every((word, at) => word === b[at] || isSameStem(word, b[at] ?? ''))
}

function isSameStem(one: string, other: string): boolean {
  const length = Math.min(one.length, other.length)
  return length >= 3 && Math.abs(one.length - other.length) <= 2 && one.slice(0, length) === other.slice(0, length)
}

function isBelow(node: UiNode, holder: UiNode): boolean {
  for (const one of subtree(holder)) if (one === node) return node !== holder
  return false
}

/** Names the number by ids of the app only. */
function nameValue({ adjustment, node }: Intent): string {
  const { value, slider } = adjustment ?? {}
  const names = [slider, value, node].map((one) => (one === undefined ? '' : formatId(one)))
  return names.find((name) => name !== '')?.replace(/ (?:value|text|label)$/, '') ?? 'the value'
}
