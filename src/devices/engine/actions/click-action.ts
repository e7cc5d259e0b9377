import type { Point } from '../../driver/driver.ts'
import type { ParamsOf } from './action-params.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineRun } from '../engine-run.ts'
import { retrying } from '../retrying.ts'
import { type StepNotes, describeNode } from '../step-evidence.ts'
import type { StepData } from '../step-failure.ts'
import { touchedAt } from '../tap-point.ts'
import { findToActOn } from '../target-lookup.ts'
import { touchNode, touchPoint } from '../touching.ts'

/** One dump serves both to find the node and to touch it. */
export async function click(
  run: EngineRun,
  params: ParamsOf<'click'>,
  notes: StepNotes,
): Promise<StepData> {
  const { matcher, coordinate, container, strict, clickType, retry } = params
  if (coordinate !== undefined) {
    await clickAt(run, coordinate, params, notes)
    return clicked(clickType, coordinate)
  }
  if (matcher === undefined) throw new Error('A click has a matcher or a coordinate.')
  const point = await retrying(run, retry, async () => {
    const found = await findToActOn(run, { matcher, container, strict }, notes)
    return touchNode(run, found, clickType, notes)
  })
  return clicked(clickType, point)
}

async function clickAt(
  run: EngineRun,
  point: Point,
  { clickType }: ParamsOf<'click'>,
  notes: StepNotes,
): Promise<void> {
  notes.point = point
  const node = notes.before && touchedAt(notes.before.hierarchy, point)
  if (node !== undefined) notes.node = describeNode(node)
  assertAdmitted(run, node)
  await touchPoint(run, point, clickType)
}

function clicked(clickType: string, { x, y }: Point): StepData {
  return { click_types: clickType, coordinate: `${x},${y}` }
}
