import type { EngineRun } from '../engine-run.ts'
import { type AdjustUntil, Dial, type Shown } from './dial.ts'
import { slideTo } from './dial-slider.ts'
import { stepTo } from './dial-steps.ts'
import type { StepNotes } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'

/** Moves a control until it shows the wanted number: along its slider first, then by its buttons. */
export async function adjustUntil(
  run: EngineRun,
  params: AdjustUntil,
  notes: StepNotes,
): Promise<StepData> {
  const dial = new Dial(run, params, notes)
  let shown = await dial.start()
  const facts = (now: Shown) => ({ read: String(now.value), target: String(params.target) })
  if (dial.isThere(shown)) return { ...facts(shown), adjustments: '0', already: 'true' }
  if (params.slider !== undefined) shown = await slideTo(dial, params.slider, shown)
  if (!dial.isThere(shown)) shown = await stepTo(dial, shown)
  const { point } = notes
  const where = point === undefined ? {} : { coordinate: `${point.x},${point.y}` }
  return { ...facts(shown), adjustments: String(dial.adjustments), ...where }
}
