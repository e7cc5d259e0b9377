import type { Direction } from '@apprentice/contracts/devices/action.ts'
import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import type { Point, Swipe } from '../../driver/driver.ts'
import { findNodeAt } from '../../../screen/hit-test.ts'
import { findWindow, matchTarget, resolveTarget } from '../../../screen/matcher.ts'
import { findRowAround, findStructure } from '../../../screen/row-around.ts'
import { type Bounds, centre, hasArea, intersection } from '../../../screen/tree/bounds.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import type { ActionParams } from './action-params.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { withRetry } from '../retry.ts'
import type { FoundNode } from '../screen-reading.ts'
import { type StepNotes, describeNode } from '../step-evidence.ts'
import { type StepData, StepFailure } from '../step-failure.ts'
import { findOnCurrentScreen, toUnresolvedFailure } from '../target-lookup.ts'
import { assertAnchored, sendGesture } from '../touch.ts'

type SwipeParams = ActionParams<'swipe'>

/** Swipes between two points, across the list entry of a node, or from a node to another one. */
export async function swipe(execution: EngineExecution, params: SwipeParams, notes: StepNotes): Promise<StepData> {
  const { from, to, durationMs, hold } = params
  if (from === undefined || to === undefined) return swipeNode(execution, params, notes)
  notes.point = from
  notes.end = to
  const node = notes.before && findNodeAt(notes.before.hierarchy, from)
  if (node !== undefined) notes.node = describeNode(node)
  await assertAdmitted(execution, node)
  return send(execution, { from, to, durationMs, hold })
}

/** The target is searched again until it is found. The gesture is sent once. */
async function swipeNode(execution: EngineExecution, params: SwipeParams, notes: StepNotes): Promise<StepData> {
  const { matcher, container, strict, durationMs, hold, retry } = params
  if (matcher === undefined) throw new Error('A swipe needs points or a matcher.')
  const { node, way } = await withRetry(execution, retry, async () => {
    const found = await findOnCurrentScreen(execution, { matcher, container, strict }, notes)
    assertAnchored(execution, found, undefined)
    return { node: found.node, way: planWay(found, params) }
  })
  if (way === undefined) return { unchanged: 'true' }
  await assertAdmitted(execution, node)
  notes.point = way.from
  notes.end = way.to
  return send(execution, { ...way, durationMs, hold })
}

type Way = Pick<Swipe, 'from' | 'to'>

/** Undefined if the entry of the node is where it is to be dragged. */
function planWay(found: FoundNode, { direction, distanceRatio = 0.6, onto }: SwipeParams): Way | undefined {
  const { node } = found
  if (direction !== undefined)
    return planStroke(requireArea(found, findRowAround(node) ?? node), direction, distanceRatio)
  if (onto === undefined) throw new Error('A swipe of a node needs a direction or a goal.')
  const goal = findGoal(found, onto)
  if (goal === findRowAround(node)) return undefined
  const from = centre(requireArea(found, node))
  return { from, to: aimAt(requireArea(found, goal), from) }
}

/** The entry to drag to. If the node is in a list, it is an entry of the same list. */
function findGoal({ node, reading }: FoundNode, onto: NodeMatcher): UiNode {
  const { hierarchy } = reading
  const matches = matchTarget(hierarchy, { matcher: onto })
  const group = findStructure(node).findRow(node)?.group
  const members = (matches.kind === 'found' ? matches.nodes : []).flatMap((one) => {
    const row = findStructure(one).findRow(one)
    return row !== undefined && row.group === group ? [row.node] : []
  })
  const [only, ...others] = new Set(members)
  if (only !== undefined && others.length === 0) return only
  const resolution = resolveTarget(hierarchy, { matcher: onto, strict: true })
  if (resolution.kind !== 'found') throw toUnresolvedFailure(resolution, reading)
  return findRowAround(resolution.node) ?? resolution.node
}

/** A stroke across the middle of an area. It starts away from the edges of the display, which belong to the system. */
function planStroke(area: Bounds, direction: Direction, distanceRatio: number): Way {
  const { x, y } = centre(area)
  const isAcross = direction === 'left' || direction === 'right'
  const size = isAcross ? area.right - area.left : area.bottom - area.top
  const half = Math.round((size * Math.min(distanceRatio, MAX_STROKE)) / 2)
  const sign = direction === 'right' || direction === 'down' ? 1 : -1
  const shift = (by: number): Point => (isAcross ? { x: x + by, y } : { x, y: y + by })
  return { from: shift(-sign * half), to: shift(sign * half) }
}

const MAX_STROKE = 0.85

/** The point of the goal in line with the start, so that a handle moves straight up or down. */
function aimAt(goal: Bounds, { x }: Point): Point {
  const middle = centre(goal)
  return x > goal.left && x < goal.right ? { x, y: middle.y } : middle
}

/** The visible part of a node. */
function requireArea({ reading }: FoundNode, { bounds }: UiNode): Bounds {
  const window = findWindow(reading.hierarchy)
  const part = bounds !== null && window !== null && intersection(bounds, window)
  if (part === false || !hasArea(part)) throw new StepFailure('GESTURE_FAILED', 'The node has no visible area.')
  return part
}

async function send(execution: EngineExecution, gesture: Swipe): Promise<StepData> {
  const { from, to, durationMs } = gesture
  execution.history.act(execution.now())
  await sendGesture(execution, (driver, limits) => driver.swipe(gesture, limits))
  return { from: formatPoint(from), to: formatPoint(to), duration_ms: String(durationMs) }
}

function formatPoint({ x, y }: Point): string {
  return `${x},${y}`
}
