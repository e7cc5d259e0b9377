import type { Point } from '../../driver/driver.ts'
import { findNodeAt } from '../../../screen/hit-test.ts'
import type { ActionParams } from './action-params.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { type StepNotes, describeNode } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'
import { sendGesture } from '../touch.ts'

/** Swipes between the two given points. */
export async function swipe(
  execution: EngineExecution,
  { from, to, durationMs }: ActionParams<'swipe'>,
  notes: StepNotes,
): Promise<StepData> {
  notes.point = from
  const node = notes.before && findNodeAt(notes.before.hierarchy, from)
  if (node !== undefined) notes.node = describeNode(node)
  assertAdmitted(execution, node)
  execution.history.act()
  await sendGesture(execution, (driver, limits) => driver.swipe({ from, to, durationMs }, limits))
  return { from: formatPoint(from), to: formatPoint(to), duration_ms: String(durationMs) }
}

function formatPoint({ x, y }: Point): string {
  return `${x},${y}`
}
