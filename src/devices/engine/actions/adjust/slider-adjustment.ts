import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { Point } from '../../../driver/driver.ts'
import type { Bounds } from '../../../../screen/tree/bounds.ts'
import { isNear } from '../../../../screen/displayed-number.ts'
import type { AdjustableControl, DisplayedValue } from './adjustable-control.ts'
import { StepFailure } from '../../step-failure.ts'
import { touchNodeAt } from '../../touch.ts'

/** A touched position, and the value displayed after the touch. */
interface SliderTouch {
  readonly at: number
  readonly value: number
}

/** Touches the slider near the target and narrows the range down. */
export async function adjustBySlider(
  control: AdjustableControl,
  slider: NodeMatcher,
  from: DisplayedValue,
): Promise<DisplayedValue> {
  const touched: SliderTouch[] = []
  let current = from
  for (;;) {
    const found = await control.findPart(slider, current)
    const track = toTrack(found.node.bounds)
    const at = chooseNextPosition(track, touched, control.params.target)
    if (at === undefined) {
      if (isStuck(from, touched)) throw control.toFailure(current, 'no_change')
      // The buttons, if there are any, adjust the rest.
      return current
    }
    if (control.remaining <= 0) throw control.toFailure(current, 'limit')
    control.adjustments += 1
    await touchNodeAt(control.execution, found, toPoint(track, at), control.notes)
    current = await control.readValue({ before: current.value, withinMs: 1000 })
    if (control.isAtTarget(current)) current = await confirmValue(control)
    if (control.isAtTarget(current)) return current
    touched.push({ at, value: current.value })
  }
}

/** Reads again after a pause, because the slider may still be moving. */
async function confirmValue(control: AdjustableControl): Promise<DisplayedValue> {
  await control.execution.sleep(CONFIRM_MS)
  return control.readValue({})
}

const CONFIRM_MS = 200

interface Track {
  readonly vertical: boolean
  readonly bounds: Bounds
  /** The first and last pixel along the track. */
  readonly start: number
  readonly end: number
}

function toTrack(bounds: Bounds | null): Track {
  if (bounds === null) throw new StepFailure('GESTURE_FAILED', 'The slider has no bounds.')
  const { left, top, right, bottom } = bounds
  const vertical = bottom - top > 1.5 * (right - left)
  const [start, end] = vertical ? [top, bottom - 1] : [left, right - 1]
  return { vertical, bounds, start, end }
}

function toPoint({ vertical, bounds }: Track, at: number): Point {
  const { left, top, right, bottom } = bounds
  return vertical ? { x: Math.floor((left + right) / 2), y: at } : { x: at, y: Math.floor((top + bottom) / 2) }
}

/** Whether no touch changed the value. */
function isStuck(from: DisplayedValue, touched: readonly SliderTouch[]): boolean {
  return touched.every(({ value }) => isNear(value, from.value))
}

/** The pixel to touch next. Undefined if no pixel between too low and too high is left. */
export function chooseNextPosition(
  { start, end, vertical }: Pick<Track, 'start' | 'end' | 'vertical'>,
  touched: readonly SliderTouch[],
  target: number,
): number | undefined {
  const rising = isRising(touched, !vertical)
  if (touched.length > 1 && hasSingleValue(touched)) {
    const ends = rising === (touched[0]?.value ?? 0) < target ? [end, start] : [start, end]
    return ends.find((at) => touched.every((touch) => touch.at !== at))
  }
  // Measured from the end with the low numbers.
  const along = (at: number) => (rising ? at - start : end - at)
  const places = touched.map(({ at, value }) => ({ at: along(at), value }))
  const low = places.filter(({ value }) => value < target).toSorted((a, b) => b.at - a.at)[0]
  const high = places.filter(({ value }) => value > target).toSorted((a, b) => a.at - b.at)[0]
  const [from, to] = [(low?.at ?? -1) + 1, (high?.at ?? end - start + 1) - 1]
  if (from > to) return undefined
  const guess = interpolatePosition({ places, low, high }, target) ?? (from + to) / 2
  const at = Math.round(Math.min(to, Math.max(from, guess)))
  return rising ? start + at : end - at
}

/** Whether all touches gave the same value. Then only the ends show whether the slider moves at all. */
function hasSingleValue(touched: readonly SliderTouch[]): boolean {
  const [first] = touched
  return first !== undefined && touched.every(({ value }) => isNear(value, first.value))
}

function isRising(touched: readonly SliderTouch[], otherwise: boolean): boolean {
  const [first] = touched
  const other = first && touched.find(({ value }) => !isNear(value, first.value))
  if (first === undefined || other === undefined) return otherwise
  return other.value > first.value === other.at > first.at
}

/** Interpolates linearly. Every third time returns undefined, so that the middle is tried and the search converges. */
function interpolatePosition(
  known: {
    readonly places: readonly SliderTouch[]
    readonly low: SliderTouch | undefined
    readonly high: SliderTouch | undefined
  },
  target: number,
): number | undefined {
  const { places, low, high } = known
  if (places.length % 3 === 0) return undefined
  if (low !== undefined && high !== undefined) return solveLine(low, high, target)
  const near = low ?? high
  if (near === undefined) return undefined
  const other = places.find(({ value }) => !isNear(value, near.value))
  // Most scales start at zero.
  return solveLine(other ?? { at: 0, value: 0 }, near, target)
}

function solveLine(one: SliderTouch, other: SliderTouch, target: number): number | undefined {
  if (isNear(one.value, other.value)) return undefined
  return one.at + ((target - one.value) * (other.at - one.at)) / (other.value - one.value)
}
