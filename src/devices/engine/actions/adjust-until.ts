import type { EngineExecution } from '../engine-execution.ts'
import { type AdjustUntil, AdjustableControl, type DisplayedValue } from './adjustable-control.ts'
import { adjustBySlider } from './slider-adjustment.ts'
import { adjustByButtons } from './button-adjustment.ts'
import type { StepNotes } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'

/** Adjusts a control until it displays the target number: by its slider first, then by its buttons. */
export async function adjustUntil(
  execution: EngineExecution,
  params: AdjustUntil,
  notes: StepNotes,
): Promise<StepData> {
  const control = new AdjustableControl(execution, params, notes)
  let current = await control.readInitialValue()
  const facts = ({ value }: DisplayedValue) => ({
    read: String(value),
    target: String(params.target),
  })
  if (control.isAtTarget(current)) return { ...facts(current), adjustments: '0', already: 'true' }
  if (params.slider !== undefined) current = await adjustBySlider(control, params.slider, current)
  if (!control.isAtTarget(current)) current = await adjustByButtons(control, current)
  const { point } = notes
  const where = point === undefined ? {} : { coordinate: `${point.x},${point.y}` }
  return { ...facts(current), adjustments: String(control.adjustments), ...where }
}
