import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { readWheel } from '../../../screen/wheel.ts'
import type { Adjustment, Intent } from '../read/intent.ts'
import { readText } from '../read/node-text.ts'
import type { NormalizedTrace } from '../read/normalized-trace.ts'
import { findNode, isSameView, isTextField, listAncestors, type Screen } from '../read/screen.ts'

/** Reads a swipe over a wheel as setting its value. The neighbours of the value step it at run time. */
export function readWheelSwipes(trace: NormalizedTrace): NormalizedTrace {
  return { ...trace, intents: trace.intents.map(toAdjustment) }
}

function toAdjustment(intent: Intent): Intent {
  const { kind, node, before, after, pinned } = intent
  if (kind !== 'scroll' || pinned === true || node === undefined) return intent
  if (before === undefined || after === undefined || !isSameView(before, after)) return intent
  const wheel = [node, ...listAncestors(node)].slice(0, WHEEL_DEPTH).find((one) => one.children.some(isTextField))
  const adjustment = wheel && readTurn(wheel, after)
  return adjustment === undefined ? intent : { ...intent, kind: 'adjust', adjustment }
}

const WHEEL_DEPTH = 3

/** A tap on a neighbour of the value: the wheel shows it as its value now. */
export function findWheelTurn(button: UiNode, after: Screen): Adjustment | undefined {
  const turn = button.parent === null ? undefined : readTurn(button.parent, after)
  return turn !== undefined && turn.to === parseDisplayedNumber(readText(button)) ? turn : undefined
}

function readTurn(node: UiNode, after: Screen): Adjustment | undefined {
  const wheel = readWheel(node)
  const field = findNode(after, node.path)?.children.find(isTextField)
  const to = field && parseDisplayedNumber(readText(field))
  if (wheel === undefined || to === undefined || wheel.number === to) return undefined
  const { value, number: from, increase, decrease } = wheel
  return { value, from, to, increase, decrease }
}
