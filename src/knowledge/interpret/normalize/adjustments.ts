import { centre } from '../../../screen/tree/bounds.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { type Adjustment, type Intent, isTap, joinIntents } from '../read/intent.ts'
import { formatId } from '../read/node-text.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { findNode, isSameView, isSlider, type Screen } from '../read/screen.ts'
import { findNumberChanges, type NumberChange } from './number-changes.ts'
import { findStepperChange } from './steppers.ts'

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

/** Names the number by ids of the app only. */
function nameValue({ adjustment, node }: Intent): string {
  const { value, slider } = adjustment ?? {}
  const names = [slider, value, node].map((one) => (one === undefined ? '' : formatId(one)))
  return names.find((name) => name !== '')?.replace(/ (?:value|text|label)$/, '') ?? 'the value'
}
