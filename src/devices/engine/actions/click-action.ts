import type { Point } from '../../driver/driver.ts'
import type { ActionParams } from './action-params.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { withRetry } from '../retry.ts'
import { type StepNotes, describeNode } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'
import { findTouchedNode } from '../tap-point.ts'
import { findActionTarget } from '../target-lookup.ts'
import { touchNode, touchPoint } from '../touch.ts'

/** Finds the node and touches it on the same reading. */
export async function click(
  execution: EngineExecution,
  params: ActionParams<'click'>,
  notes: StepNotes,
): Promise<StepData> {
  const { matcher, coordinate, container, strict, clickType, retry } = params
  if (coordinate !== undefined) {
    await clickAt(execution, coordinate, params, notes)
    return toClickData(clickType, coordinate)
  }
  if (matcher === undefined) throw new Error('A click needs a matcher or a coordinate.')
  const point = await withRetry(execution, retry, async () => {
    const found = await findActionTarget(execution, { matcher, container, strict }, notes)
    return touchNode(execution, found, clickType, notes)
  })
  return toClickData(clickType, point)
}

async function clickAt(
  execution: EngineExecution,
  point: Point,
  { clickType }: ActionParams<'click'>,
  notes: StepNotes,
): Promise<void> {
  notes.point = point
  const node = notes.before && findTouchedNode(notes.before.hierarchy, point)
  if (node !== undefined) notes.node = describeNode(node)
  await assertAdmitted(execution, node)
  await touchPoint(execution, point, clickType)
}

function toClickData(clickType: string, { x, y }: Point): StepData {
  return { click_types: clickType, coordinate: `${x},${y}` }
}
