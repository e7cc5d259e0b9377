import type { EngineExecution } from '../../engine-execution.ts'
import { type AdjustUntil, AdjustableControl, type DisplayedValue } from './adjustable-control.ts'
import { adjustByCycling, isWanted } from './cycle-adjustment.ts'
import { adjustBySlider } from './slider-adjustment.ts'
import { adjustByButtons } from './button-adjustment.ts'
import type { StepNotes } from '../../step-evidence.ts'
import type { StepData } from '../../step-failure.ts'

/**
 * Adjusts a control until it displays the target: by its slider first, then by its buttons. Words, and numbers of a
 * control that wraps and has one known button, are reached by going through its values.
 */
export async function adjustUntil(
  execution: EngineExecution,
  params: AdjustUntil,
  notes: StepNotes,
): Promise<StepData> {
  const control = new AdjustableControl(execution, params, notes)
  const isCycled = params.targetText !== undefined || (params.wraps === true && hasOneButton(params))
  const read = isCycled ? await goThroughValues(control) : String((await adjustToNumber(control)).value)
  const target = params.targetText ?? String(params.target)
  if (control.adjustments === 0) return { read, target, adjustments: '0', already: 'true' }
  const { point } = notes
  const where = point === undefined ? {} : { coordinate: `${point.x},${point.y}` }
  return { read, target, adjustments: String(control.adjustments), ...where }
}

async function goThroughValues(control: AdjustableControl): Promise<string> {
  const from = await control.readInitialLabel()
  const { label } = isWanted(control, from.label) ? from : await adjustByCycling(control, from)
  return label
}

async function adjustToNumber(control: AdjustableControl): Promise<DisplayedValue> {
  const { slider } = control.params
  let current = await control.readInitialValue()
  if (control.isAtTarget(current)) return current
  if (slider !== undefined) current = await adjustBySlider(control, slider, current)
  return control.isAtTarget(current) ? current : adjustByButtons(control, current)
}

function hasOneButton({ increase, decrease, slider }: AdjustUntil): boolean {
  return slider === undefined && (increase === undefined) !== (decrease === undefined)
}
