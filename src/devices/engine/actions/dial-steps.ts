import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { isNear } from '../../../screen/shown-number.ts'
import type { Dial, Shown } from './dial.ts'
import { StepFailure } from '../step-failure.ts'
import { touchNode } from '../touching.ts'

interface Progress {
  /** What one touch does, once two touches in a row did the same. */
  size: number | undefined
  lastSize: number | undefined
  /** Touches in a row that did nothing. */
  still: number
  /** A touch did nothing at first; what it does may come later. */
  late: boolean
  /** How often it went past the target, either way. */
  readonly passed: { up: number; down: number }
}

/** Touches the buttons one at a time, or several times where that cannot pass the target. */
export async function stepTo(dial: Dial, from: Shown): Promise<Shown> {
  const progress: Progress = {
    size: undefined,
    lastSize: undefined,
    still: 0,
    late: false,
    passed: { up: 0, down: 0 },
  }
  let at = from
  while (!dial.isThere(at)) {
    at = await step(dial, at, progress)
    if (progress.still >= 2) throw dial.failure(at, 'no_change')
    if (isBesides(progress)) throw dial.failure(at, 'passed')
  }
  return at
}

async function step(dial: Dial, at: Shown, progress: Progress): Promise<Shown> {
  const { target, increase, decrease, slider } = dial.params
  const up = at.value < target
  const button = up ? increase : decrease
  if (button === undefined) throw dial.failure(at, slider === undefined ? 'no_way' : 'out_of_range')
  if (dial.left <= 0) throw dial.failure(at, 'limit')
  const size = (progress.size ?? 0) > 0 === up ? progress.size : undefined
  const times = touchesFor(dial, at, size)
  if (!(await touch(dial, at, { button, times }))) {
    progress.still += 1
    return settled(dial, SETTLE_MS)
  }
  const awaited = size === undefined ? undefined : at.value + times * size
  const first = await dial.readAfter({ before: at.value, awaited })
  progress.late ||= isNear(first.value, at.value)
  const surprising = progress.late || (awaited !== undefined && !isNear(first.value, awaited))
  const now = surprising ? await settled(dial, progress.late ? LATE_MS : SETTLE_MS) : first
  learn(progress, { moved: now.value - at.value, times, expected: size })
  if (!dial.isThere(now) && now.value > target === up) progress.passed[up ? 'up' : 'down'] += 1
  return now
}

/** Its steps lie beside the target. Of a late control two touches may have come at once. */
function isBesides({ passed, late }: Progress): boolean {
  return Math.min(passed.up, passed.down) >= (late ? 2 : 1)
}

/** A button goes dead at the end of the range, or while the control is busy. */
async function touch(
  dial: Dial,
  at: Shown,
  { button, times }: { readonly button: NodeMatcher; readonly times: number },
): Promise<boolean> {
  const found = await dial.part(button, at)
  for (let done = 0; done < times; done += 1) {
    try {
      await touchNode(dial.run, found, 'click', dial.notes)
    } catch (error) {
      if (error instanceof StepFailure && error.error === 'NODE_NOT_CLICKABLE') return false
      throw error
    }
    dial.adjustments += 1
  }
  return true
}

/** What it shows once nothing has changed for so long. */
async function settled(dial: Dial, quietMs: number): Promise<Shown> {
  let shown: Shown | undefined
  for (let look = 0; look < MAX_SETTLING; look += 1) {
    await dial.run.sleep(quietMs)
    const now = await dial.readAfter({})
    if (shown !== undefined && isNear(now.value, shown.value)) return now
    shown = now
  }
  return shown ?? dial.readAfter({})
}

const MAX_SETTLING = 5
const SETTLE_MS = 500
const LATE_MS = 1500

/** As many as surely do not pass the target; one as long as it is not known what one does. */
function touchesFor(dial: Dial, { value }: Shown, size: number | undefined): number {
  const { target, tolerance } = dial.params
  const distance = target - value
  if (size === undefined) return 1
  const reach = Math.floor(distance / size + ROUNDING)
  const enough = Math.ceil((Math.abs(distance) - tolerance) / Math.abs(size) - ROUNDING)
  return Math.max(1, Math.min(reach, enough, MAX_TOUCHES, dial.left))
}

const ROUNDING = 1e-6
const MAX_TOUCHES = 10

function learn(
  progress: Progress,
  seen: { readonly moved: number; readonly times: number; readonly expected: number | undefined },
): void {
  const size = seen.moved / seen.times
  const usual = seen.expected ?? progress.lastSize
  progress.still = isNear(size, 0) ? progress.still + 1 : 0
  progress.size = usual !== undefined && isNear(size, usual) && !progress.late ? size : undefined
  progress.lastSize = size
}
