import type { ClickType } from '@apprentice/contracts/devices/action.ts'
import type { Driver, Point } from '../driver/driver.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { type UiNode, isTrue } from '../../screen/hierarchy.ts'
import { matcherRole } from '../../screen/roles.ts'
import { assertAdmitted } from './admission.ts'
import type { EngineRun } from './engine-run.ts'
import { type StepNotes, describeNode } from './step-evidence.ts'
import { StepFailure, naming, refusedBy } from './step-failure.ts'
import { receiverOf, tapPoint } from './tap-point.ts'
import type { FoundNode } from './screen-reading.ts'

/** Touches a node that was found, and answers where. */
export async function touchNode(
  run: EngineRun,
  found: FoundNode,
  clickType: ClickType,
  notes: StepNotes,
): Promise<Point> {
  const { reading, node } = found
  const receiver = receiverOf(node, clickType === 'long_click' ? 'long_click' : 'click')
  assertTouchable(node, receiver, clickType)
  const point = tapPoint(reading.hierarchy, node, receiver)
  if (point === undefined) throw new StepFailure('GESTURE_FAILED', 'The node has no visible part.')
  if (receiver !== undefined && receiver !== node) notes.touched = describeNode(receiver)
  assertAdmitted(run, node, receiver)
  notes.point = point
  await touchPoint(run, point, clickType)
  return point
}

/** Touches a node that was found at a point of it, such as a place on a slider. */
export async function touchNodeAt(
  run: EngineRun,
  { node }: FoundNode,
  point: Point,
  notes: StepNotes,
): Promise<void> {
  assertTouchable(node, undefined, 'click')
  assertAdmitted(run, node)
  notes.point = point
  await touchPoint(run, point, 'click')
}

export function touchPoint(run: EngineRun, point: Point, clickType: ClickType): Promise<void> {
  return gesture(run, (driver, limits) =>
    clickType === 'long_click'
      ? driver.longPress(point, LONG_PRESS_MS, limits)
      : driver.tap(point, limits),
  )
}

export function gesture(
  run: EngineRun,
  work: (driver: Driver, limits: CallLimits) => Promise<void>,
): Promise<void> {
  return naming(run.act(work), (failure) => refusedBy(failure, { commandFailed: 'GESTURE_FAILED' }))
}

const LONG_PRESS_MS = 650

/**
 * A touch on something disabled does nothing and would pass for done. A touch moves the focus to a
 * text field; of anything else that can be clicked it would be a click.
 */
function assertTouchable(node: UiNode, receiver: UiNode | undefined, clickType: ClickType): void {
  if (!isTrue(receiver ?? node, 'enabled')) {
    throw new StepFailure('NODE_NOT_CLICKABLE', 'What would take the touch is disabled.', {
      retryable: true,
    })
  }
  if (clickType === 'focus' && receiver !== undefined && matcherRole(node) !== 'textfield') {
    const message = 'Only a text field can be given the focus without being clicked.'
    throw new StepFailure('FOCUS_UNSUPPORTED', message)
  }
}
