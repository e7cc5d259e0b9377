import { isNear } from '../../../../screen/displayed-number.ts'
import { readWheel } from '../../../../screen/wheel.ts'
import type { AdjustableControl, DisplayedValue } from './adjustable-control.ts'
import { findOppositeButton } from './opposite-button.ts'
import type { FoundNode } from '../../screen-reading.ts'
import { StepFailure } from '../../step-failure.ts'
import { touchNode } from '../../touch.ts'

interface Progress {
  /** The change per touch, once two touches in a row changed the value equally. */
  size: number | undefined
  lastSize: number | undefined
  /** Number of touches in a row without effect. */
  still: number
  /** A touch had no immediate effect. Later touches may take effect with a delay. */
  late: boolean
  /** How often the value passed the target, per direction. */
  readonly passed: { up: number; down: number }
}

/** Touches the buttons one at a time, or several times if that cannot pass the target. */
export async function adjustByButtons(control: AdjustableControl, from: DisplayedValue): Promise<DisplayedValue> {
  const progress: Progress = {
    size: undefined,
    lastSize: undefined,
    still: 0,
    late: false,
    passed: { up: 0, down: 0 },
  }
  let at = from
  while (!control.isAtTarget(at)) {
    at = await step(control, at, progress)
    if (progress.still >= 2) throw control.toFailure(at, 'no_change')
    if (stepsOverTarget(progress)) throw control.toFailure(at, 'passed')
  }
  return at
}

async function step(control: AdjustableControl, at: DisplayedValue, progress: Progress): Promise<DisplayedValue> {
  const { target, slider } = control.params
  const up = at.value < target
  if (control.remaining <= 0) throw control.toFailure(at, 'limit')
  const button = await findButton(control, at, up)
  if (button === undefined) throw control.toFailure(at, slider === undefined ? 'no_way' : 'out_of_range')
  const size = (progress.size ?? 0) > 0 === up ? progress.size : undefined
  const times = countTouches(control, at, size)
  if (!(await touchButton(control, { button, times }))) {
    progress.still += 1
    return readSettledValue(control, SETTLE_MS)
  }
  const awaited = size === undefined ? undefined : at.value + times * size
  const first = await control.readValue({ before: at.value, awaited })
  progress.late ||= isNear(first.value, at.value)
  const isUnexpected = progress.late || (awaited !== undefined && !isNear(first.value, awaited))
  const now = isUnexpected ? await readSettledValue(control, progress.late ? DELAYED_SETTLE_MS : SETTLE_MS) : first
  const isWrongWay = (now.value - at.value) * (up ? 1 : -1) < 0
  if (button.isGuessed && isWrongWay) throw control.toFailure(now, 'no_way')
  updateProgress(progress, { moved: now.value - at.value, times, expected: size })
  if (!control.isAtTarget(now) && now.value > target === up) progress.passed[up ? 'up' : 'down'] += 1
  return now
}

interface ButtonPart {
  readonly found: FoundNode
  /** It was found beside the known button. */
  readonly isGuessed: boolean
}

/** The named button, or the one beside the button for the other direction. */
async function findButton(
  control: AdjustableControl,
  at: DisplayedValue,
  up: boolean,
): Promise<ButtonPart | undefined> {
  const { increase, decrease } = control.params
  const turning = findWheelNeighbour(control, at, up)
  if (turning !== undefined) return { found: turning, isGuessed: false }
  const [named, other] = up ? [increase, decrease] : [decrease, increase]
  if (named !== undefined) return { found: await control.findPart(named, at), isGuessed: false }
  if (other === undefined) return undefined
  const known = await control.findPart(other, at)
  const node = findOppositeButton(known.node, up)
  return node && { found: { reading: known.reading, node }, isGuessed: true }
}

/** The value beside that of a wheel. At an end of its range a wheel has no value before, so their order says nothing. */
function findWheelNeighbour(
  control: AdjustableControl,
  { reading }: DisplayedValue,
  up: boolean,
): FoundNode | undefined {
  const value = control.findValue(reading)
  const wheel = value?.parent == null ? undefined : readWheel(value.parent)
  const node = wheel?.value === value ? wheel?.[up ? 'increase' : 'decrease'] : undefined
  return node && { reading, node }
}

/** Whether the value passed the target in both directions. On a delayed control two touches can take effect at once. */
function stepsOverTarget({ passed, late }: Progress): boolean {
  return Math.min(passed.up, passed.down) >= (late ? 2 : 1)
}

/** Returns false if the button is disabled, at the end of the range or while the control is busy. */
async function touchButton(
  control: AdjustableControl,
  { button, times }: { readonly button: ButtonPart; readonly times: number },
): Promise<boolean> {
  for (let done = 0; done < times; done += 1) {
    try {
      await touchNode(control.execution, button.found, 'click', control.notes)
    } catch (error) {
      if (error instanceof StepFailure && error.error === 'NODE_NOT_CLICKABLE') return false
      throw error
    }
    control.adjustments += 1
  }
  return true
}

/** Reads the value until it is unchanged for `quietMs`. */
async function readSettledValue(control: AdjustableControl, quietMs: number): Promise<DisplayedValue> {
  let last: DisplayedValue | undefined
  for (let reading = 0; reading < MAX_SETTLE_READINGS; reading += 1) {
    await control.execution.sleep(quietMs)
    const now = await control.readValue({})
    if (last !== undefined && isNear(now.value, last.value)) return now
    last = now
  }
  return last ?? control.readValue({})
}

const MAX_SETTLE_READINGS = 5
const SETTLE_MS = 500
const DELAYED_SETTLE_MS = 1500

/** The number of touches that cannot pass the target. One while the step size is unknown. */
function countTouches(control: AdjustableControl, { value }: DisplayedValue, size: number | undefined): number {
  const { target, tolerance } = control.params
  const distance = target - value
  if (size === undefined) return 1
  const reach = Math.floor(distance / size + ROUNDING)
  const enough = Math.ceil((Math.abs(distance) - tolerance) / Math.abs(size) - ROUNDING)
  return Math.max(1, Math.min(reach, enough, MAX_TOUCHES, control.remaining))
}

const ROUNDING = 1e-6
const MAX_TOUCHES = 10

function updateProgress(
  progress: Progress,
  observed: {
    readonly moved: number
    readonly times: number
    readonly expected: number | undefined
  },
): void {
  const size = observed.moved / observed.times
  const usual = observed.expected ?? progress.lastSize
  progress.still = isNear(size, 0) ? progress.still + 1 : 0
  progress.size = usual !== undefined && isNear(size, usual) && !progress.late ? size : undefined
  progress.lastSize = size
}
