import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { isNear, parseDisplayedNumber } from '../../../../screen/displayed-number.ts'
import { showsValue } from '../../../../screen/shown-value/shown-value.ts'
import { StepFailure } from '../../step-failure.ts'
import { touchNode } from '../../touch.ts'
import type { AdjustableControl, DisplayedLabel } from './adjustable-control.ts'

/**
 * Presses one button until the control shows the wanted value. Stops when all values were shown, or when it no longer
 * moves; then the other button, if known, is tried.
 */
export async function adjustByCycling(control: AdjustableControl, from: DisplayedLabel): Promise<DisplayedLabel> {
  const { increase, decrease } = control.params
  let at = from
  let end: 'cycle' | 'no_change' | 'no_way' = 'no_way'
  for (const button of [increase, decrease]) {
    if (button === undefined) continue
    const run = await pressUntilShown(control, button, at)
    at = run.at
    if (run.end === 'shown') return at
    end = run.end
    // A control that shows its values in a circle has shown all of them.
    if (end === 'cycle') break
  }
  throw control.toFailure({ value: at.label }, end)
}

export function isWanted({ params }: AdjustableControl, label: string): boolean {
  const { targetText, target, tolerance } = params
  if (targetText !== undefined) return isSameText(label, targetText) || showsValue(label, targetText)
  const value = parseDisplayedNumber(label)
  return value !== undefined && isNear(value, target, tolerance)
}

interface CycleRun {
  readonly at: DisplayedLabel
  readonly end: 'shown' | 'cycle' | 'no_change'
}

async function pressUntilShown(
  control: AdjustableControl,
  button: NodeMatcher,
  from: DisplayedLabel,
): Promise<CycleRun> {
  const seen = new Set([from.label])
  let at = from
  let still = 0
  while (!isWanted(control, at.label)) {
    if (control.remaining <= 0) throw control.toFailure({ value: at.label }, 'limit')
    if (!(await press(control, button, at))) return { at, end: 'no_change' }
    const next = await control.readChangedLabel(at.label)
    still = next.label === at.label ? still + 1 : 0
    if (still >= MAX_STILL) return { at: next, end: 'no_change' }
    if (still === 0 && seen.has(next.label)) return { at: next, end: 'cycle' }
    seen.add(next.label)
    at = next
  }
  return { at, end: 'shown' }
}

/** Returns false if the button is disabled. */
async function press(control: AdjustableControl, button: NodeMatcher, at: DisplayedLabel): Promise<boolean> {
  const found = await control.findPart(button, at)
  try {
    await touchNode(control.execution, found, 'click', control.notes)
  } catch (error) {
    if (error instanceof StepFailure && error.error === 'NODE_NOT_CLICKABLE') return false
    throw error
  }
  control.adjustments += 1
  return true
}

function isSameText(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase()
}

const MAX_STILL = 2
