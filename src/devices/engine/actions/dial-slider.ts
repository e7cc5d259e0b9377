import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { Point } from '../../driver/driver.ts'
import type { Bounds } from '../../../screen/bounds.ts'
import { isNear } from '../../../screen/shown-number.ts'
import type { Dial, Shown } from './dial.ts'
import { StepFailure } from '../step-failure.ts'
import { touchNodeAt } from '../touching.ts'

/** Where it was touched, and what it showed then. */
interface Touched {
  readonly at: number
  readonly value: number
}

/** Touches a slider where the wanted number should lie, and closes in on it. */
export async function slideTo(dial: Dial, slider: NodeMatcher, from: Shown): Promise<Shown> {
  const touched: Touched[] = []
  let shown = from
  for (;;) {
    const found = await dial.part(slider, shown)
    const track = trackOf(found.node.bounds)
    const at = nextPlace(track, touched, dial.params.target)
    if (at === undefined) {
      if (isStuck(from, touched)) throw dial.failure(shown, 'no_change')
      // The rest is for the buttons, if there are any.
      return shown
    }
    if (dial.left <= 0) throw dial.failure(shown, 'limit')
    dial.adjustments += 1
    await touchNodeAt(dial.run, found, pointOn(track, at), dial.notes)
    shown = await dial.readAfter({ before: shown.value, withinMs: 1000 })
    if (dial.isThere(shown)) shown = await confirmed(dial)
    if (dial.isThere(shown)) return shown
    touched.push({ at, value: shown.value })
  }
}

/** A thumb may still be on its way. */
async function confirmed(dial: Dial): Promise<Shown> {
  await dial.run.sleep(CONFIRM_MS)
  return dial.readAfter({})
}

const CONFIRM_MS = 200

interface Track {
  readonly vertical: boolean
  readonly bounds: Bounds
  /** The first and last pixel along it. */
  readonly start: number
  readonly end: number
}

function trackOf(bounds: Bounds | null): Track {
  if (bounds === null) throw new StepFailure('GESTURE_FAILED', 'The slider has no place.')
  const { left, top, right, bottom } = bounds
  const vertical = bottom - top > 1.5 * (right - left)
  const [start, end] = vertical ? [top, bottom - 1] : [left, right - 1]
  return { vertical, bounds, start, end }
}

function pointOn({ vertical, bounds }: Track, at: number): Point {
  const { left, top, right, bottom } = bounds
  return vertical
    ? { x: Math.floor((left + right) / 2), y: at }
    : { x: at, y: Math.floor((top + bottom) / 2) }
}

/** Nothing that was touched changed anything. */
function isStuck(from: Shown, touched: readonly Touched[]): boolean {
  return touched.every(({ value }) => isNear(value, from.value))
}

/** The pixel to touch next; none once there is no pixel left between too little and too much. */
export function nextPlace(
  { start, end, vertical }: Pick<Track, 'start' | 'end' | 'vertical'>,
  touched: readonly Touched[],
  target: number,
): number | undefined {
  const rising = isRising(touched, !vertical)
  if (touched.length > 1 && isOneValue(touched)) {
    const ends = rising === (touched[0]?.value ?? 0) < target ? [end, start] : [start, end]
    return ends.find((at) => touched.every((touch) => touch.at !== at))
  }
  // Measured from the end at which the numbers are small.
  const along = (at: number) => (rising ? at - start : end - at)
  const places = touched.map(({ at, value }) => ({ at: along(at), value }))
  const low = places.filter(({ value }) => value < target).toSorted((a, b) => b.at - a.at)[0]
  const high = places.filter(({ value }) => value > target).toSorted((a, b) => a.at - b.at)[0]
  const [from, to] = [(low?.at ?? -1) + 1, (high?.at ?? end - start + 1) - 1]
  if (from > to) return undefined
  const guess = guessed({ places, low, high }, target) ?? (from + to) / 2
  const at = Math.round(Math.min(to, Math.max(from, guess)))
  return rising ? start + at : end - at
}

/** So far the same everywhere: only the ends can tell whether it moves at all. */
function isOneValue(touched: readonly Touched[]): boolean {
  const [first] = touched
  return first !== undefined && touched.every(({ value }) => isNear(value, first.value))
}

function isRising(touched: readonly Touched[], otherwise: boolean): boolean {
  const [first] = touched
  const other = first && touched.find(({ value }) => !isNear(value, first.value))
  if (first === undefined || other === undefined) return otherwise
  return other.value > first.value === other.at > first.at
}

/** By a straight line through what is known; every third time the middle, lest it creep. */
function guessed(
  seen: {
    readonly places: readonly Touched[]
    readonly low: Touched | undefined
    readonly high: Touched | undefined
  },
  target: number,
): number | undefined {
  const { places, low, high } = seen
  if (places.length % 3 === 0) return undefined
  if (low !== undefined && high !== undefined) return onLine(low, high, target)
  const near = low ?? high
  if (near === undefined) return undefined
  const other = places.find(({ value }) => !isNear(value, near.value))
  // Most scales begin at nought.
  return onLine(other ?? { at: 0, value: 0 }, near, target)
}

function onLine(one: Touched, other: Touched, target: number): number | undefined {
  if (isNear(one.value, other.value)) return undefined
  return one.at + ((target - one.value) * (other.at - one.at)) / (other.value - one.value)
}
