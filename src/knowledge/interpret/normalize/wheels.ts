import { parseDisplayedNumber } from '../../../screen/displayed-number.ts'
import { isTrue, type UiNode } from '../../../screen/tree/hierarchy.ts'
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

/** A wheel is a field with its value between the values beside it, of which one is missing at an end of the range. */
function readTurn(wheel: UiNode, after: Screen): Adjustment | undefined {
  const value = wheel.children.find(isTextField)
  const now = findNode(after, wheel.path)?.children.find(isTextField)
  const [from, to] = [value, now].map((field) => field && parseDisplayedNumber(readText(field)))
  if (value === undefined || from === undefined || to === undefined || from === to) return undefined
  const steps = wheel.children.flatMap((node) => {
    const number = node === value || !isTrue(node, 'clickable') ? undefined : parseDisplayedNumber(readText(node))
    return number === undefined ? [] : [{ node, number, isAbove: (node.bounds?.top ?? 0) < (value.bounds?.top ?? 0) }]
  })
  const [above, below] = [steps.find(({ isAbove }) => isAbove), steps.find(({ isAbove }) => !isAbove)]
  if (above === undefined && below === undefined) return undefined
  const isRising = below === undefined ? (above?.number ?? 0) < from : isNextUp(below.number, from, above?.number)
  const [increase, decrease] = isRising ? [below?.node, above?.node] : [above?.node, below?.node]
  return { value, from, to, increase, decrease }
}

/** A wheel that wraps shows its first value below its last. */
const isNextUp = (below: number, value: number, above: number | undefined): boolean =>
  below > value || (above !== undefined && above < value)
