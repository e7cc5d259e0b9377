import type { ClickType } from '@apprentice/contracts/devices/action.ts'
import type { Driver, Point } from '../driver/driver.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { type Hierarchy, type UiNode, isTrue } from '../../screen/tree/hierarchy.ts'
import { normalizeLabel, readLabels } from '../../screen/label-match.ts'
import { isFloatingWindow } from '../../screen/page-layout.ts'
import { findObstruction } from '../../screen/obstruction/obstruction.ts'
import { inferMatcherRole } from '../../screen/tree/roles.ts'
import { assertAdmitted } from './admission.ts'
import type { EngineExecution } from './engine-execution.ts'
import { type StepNotes, describeNode } from './step-evidence.ts'
import { StepFailure, translateFailure, toStepFailure } from './step-failure.ts'
import { findReceiver, chooseTapPoint, findTouchedNode } from './tap-point.ts'
import { findReachedEnd } from './reached-end.ts'
import type { FoundNode, ScreenReading } from './screen-reading.ts'

/** Touches a node and returns the touched point. */
export async function touchNode(
  execution: EngineExecution,
  found: FoundNode,
  clickType: ClickType,
  notes: StepNotes,
): Promise<Point> {
  const { reading, node } = found
  const receiver = findReceiver(node, clickType === 'long_click' ? 'long_click' : 'click')
  assertTouchable(node, receiver, clickType)
  assertAnchored(execution, found, receiver)
  const point = chooseTapPoint(reading.hierarchy, node, receiver)
  if (point === undefined) throw new StepFailure('GESTURE_FAILED', 'The node has no visible area.')
  assertUncovered(execution, found, point, receiver)
  if (receiver !== undefined && receiver !== node) notes.touched = describeNode(receiver)
  await assertAdmitted(execution, node, receiver)
  notes.point = point
  await touchPoint(execution, point, clickType)
  return point
}

/** Touches a node at the given point, such as a position on a slider. */
export async function touchNodeAt(
  execution: EngineExecution,
  { node }: FoundNode,
  point: Point,
  notes: StepNotes,
): Promise<void> {
  assertTouchable(node, undefined, 'click')
  await assertAdmitted(execution, node)
  notes.point = point
  await touchPoint(execution, point, 'click')
}

export function touchPoint(execution: EngineExecution, point: Point, clickType: ClickType): Promise<void> {
  execution.history.act(execution.now())
  return sendGesture(execution, (driver, limits) =>
    clickType === 'long_click' ? driver.longPress(point, LONG_PRESS_MS, limits) : driver.tap(point, limits),
  )
}

export function sendGesture(
  execution: EngineExecution,
  work: (driver: Driver, limits: CallLimits) => Promise<void>,
): Promise<void> {
  return translateFailure(execution.command(work), (failure) =>
    toStepFailure(failure, { commandFailed: 'GESTURE_FAILED' }),
  )
}

/**
 * A node that a single fallback found may be another one. It is touched only if the action changes nothing outside the
 * screen: it is declared so, or it selects a tab.
 */
export function assertAnchored(execution: EngineExecution, found: FoundNode, receiver: UiNode | undefined): void {
  const { reading, node, fallback, votes } = found
  if (fallback !== undefined) {
    assertSameLanguage(execution, found)
    assertNotReached(execution, reading)
  }
  if (fallback === undefined || votes !== 1 || execution.action.expects?.effect === 'local_state') return
  if ([node, receiver].some((one) => one !== undefined && inferMatcherRole(one) === 'tab')) return
  throw new StepFailure('NODE_NOT_FOUND', 'Only one of several ways found the node, and the touch could do harm.', {
    retryable: true,
    seen: reading,
    data: { drift: 'lone_anchor' },
  })
}

/** A control that says something else may undo what is there already. */
function assertNotReached(execution: EngineExecution, seen: ScreenReading): void {
  if (findReachedEnd(execution, seen) === undefined) return
  throw new StepFailure('NODE_NOT_FOUND', 'The outcome is there already, and the control says something else.', {
    seen,
  })
}

/**
 * A page without a known text is the demonstrated one in another language, or another one of the same shape. It is
 * another one if earlier pages were in the language of the demonstration. A dialog must follow such a page, or name what
 * the run is about.
 */
function assertSameLanguage({ language, given }: EngineExecution, { reading, node, page_words }: FoundNode): void {
  if (page_words !== 'foreign') return
  const isKnown = language === 'foreign' || !isFloatingWindow(node) || showsAny(reading.hierarchy, given)
  if (language !== 'same' && isKnown) return
  throw new StepFailure('NODE_NOT_FOUND', 'A node stands where the target stood, but the page says something else.', {
    retryable: true,
    seen: reading,
    data: { drift: 'other_page' },
  })
}

function showsAny({ nodes }: Hierarchy, given: readonly string[]): boolean {
  const texts = nodes.flatMap(readLabels).map(normalizeLabel)
  return given.map(normalizeLabel).some((one) => one.length >= MIN_GIVEN && texts.some((text) => text.includes(one)))
}

const MIN_GIVEN = 3

/** A touch on a node below a sheet or banner would hit what covers it. */
function assertUncovered(
  { packages }: EngineExecution,
  { reading, node }: FoundNode,
  point: Point,
  receiver: UiNode | undefined,
): void {
  const touched = receiver && findTouchedNode(reading.hierarchy, point)
  if (touched === undefined || touched === receiver) return
  const { root, scrim } = findObstruction(reading.hierarchy, packages) ?? {}
  if (root === undefined || isInside(node, root) || !(touched === scrim || isInside(touched, root))) return
  throw new StepFailure('NODE_NOT_CLICKABLE', 'Something covers the node.', { retryable: true, seen: reading })
}

function isInside(node: UiNode, root: UiNode): boolean {
  return node === root || node.path.startsWith(`${root.path}.`)
}

const LONG_PRESS_MS = 650

/**
 * A touch on a disabled node has no effect, so it must not count as done. A touch focuses a text field, but
 * it clicks any other clickable node.
 */
function assertTouchable(node: UiNode, receiver: UiNode | undefined, clickType: ClickType): void {
  if (!isTrue(receiver ?? node, 'enabled')) {
    throw new StepFailure('NODE_NOT_CLICKABLE', 'The node that receives the touch is disabled.', {
      retryable: true,
    })
  }
  if (clickType === 'focus' && receiver !== undefined && inferMatcherRole(node) !== 'textfield') {
    const message = 'Only a text field can be focused without clicking it.'
    throw new StepFailure('FOCUS_UNSUPPORTED', message)
  }
}
