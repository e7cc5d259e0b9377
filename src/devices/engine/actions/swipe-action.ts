import type { Point } from '../../driver/driver.ts'
import { nodeUnder } from '../../../screen/hit-test.ts'
import type { ParamsOf } from './action-params.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineRun } from '../engine-run.ts'
import { type StepNotes, describeNode } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'
import { gesture } from '../touching.ts'

/** Draws one stroke where it was told to; what it moves there is not looked for. */
export async function swipe(
  run: EngineRun,
  { from, to, durationMs }: ParamsOf<'swipe'>,
  notes: StepNotes,
): Promise<StepData> {
  notes.point = from
  const node = notes.before && nodeUnder(notes.before.hierarchy, from)
  if (node !== undefined) notes.node = describeNode(node)
  assertAdmitted(run, node)
  await gesture(run, (driver, limits) => driver.swipe({ from, to, durationMs }, limits))
  return { from: spelled(from), to: spelled(to), duration_ms: String(durationMs) }
}

function spelled({ x, y }: Point): string {
  return `${x},${y}`
}
