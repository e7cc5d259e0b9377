import type { Direction } from '@apprentice/contracts/devices/action.ts'
import type { ContainerMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { type Hierarchy, type UiNode, attribute } from '../../../../screen/tree/hierarchy.ts'
import { type ScrollContainer, resolveScrollContainer } from '../../../../screen/scroll-container.ts'
import { computeMovementSignature, computeSwipe } from '../../../../screen/scroll-geometry.ts'
import { assertAdmitted } from '../../admission.ts'
import type { EngineExecution } from '../../engine-execution.ts'
import type { ScreenReading } from '../../screen-reading.ts'
import { type ScrollerName, findNamedScroller, resolveDirection } from './scrollers.ts'
import { readScreen } from '../../read-screen.ts'
import { StepFailure } from '../../step-failure.ts'
import { sendGesture } from '../../touch.ts'

/** How to scroll a container. */
export interface Sweep {
  readonly container?: ContainerMatcher | undefined
  readonly direction: Direction | 'across'
  readonly distanceRatio: number
  readonly settleDelayMs: number
  readonly findFirstScrollableChild: boolean
  readonly strict?: boolean | undefined
  /** The scrollable node to use instead of the first one. */
  readonly scroller?: ScrollerName | undefined
}

export interface SweepResult {
  readonly reading: ScreenReading
  /** `lost`: the container is no longer on the screen. */
  readonly outcome: 'moved' | 'still' | 'lost'
}

/** Finds the container of a sweep. Throws if there is none. */
export function findSweepContainer(reading: ScreenReading, sweep: Sweep): UiNode {
  const resolved = resolveSweepContainer(reading.hierarchy, sweep)
  if (resolved.kind === 'found') return resolved.node
  throw toContainerFailure(resolved.error, reading)
}

export function resolveSweepContainer(hierarchy: Hierarchy, sweep: Sweep): ScrollContainer {
  const named = sweep.scroller && findNamedScroller(hierarchy, sweep.scroller)
  return named === undefined ? resolveScrollContainer(hierarchy, sweep) : { kind: 'found', node: named }
}

export function toContainerFailure(error: keyof typeof MESSAGES, seen: ScreenReading): StepFailure {
  if (error === 'CONTAINER_AMBIGUOUS') return new StepFailure(error, MESSAGES[error])
  return new StepFailure(error, MESSAGES[error], { retryable: true, seen })
}

/** Swipes once in the container and reads the screen afterwards. */
export async function sweepOnce(execution: EngineExecution, container: UiNode, sweep: Sweep): Promise<SweepResult> {
  const direction = resolveDirection(container, sweep.direction)
  const before = computeSignature(container, direction)
  await swipe(execution, container, { direction, distanceRatio: sweep.distanceRatio })
  await execution.sleep(sweep.settleDelayMs)
  let reading = await readScreen(execution)
  let after = resolveSweepContainer(reading.hierarchy, sweep)
  // Pulling a list at its start may load it again.
  for (let attempt = 0; after.kind !== 'found' && attempt < RELOAD_READS; attempt += 1) {
    await execution.sleep(RELOAD_PAUSE_MS)
    reading = await readScreen(execution)
    after = resolveSweepContainer(reading.hierarchy, sweep)
  }
  if (after.kind !== 'found') return { reading, outcome: 'lost' }
  return { reading, outcome: computeSignature(after.node, direction) === before ? 'still' : 'moved' }
}

const RELOAD_READS = 4
const RELOAD_PAUSE_MS = 600

function computeSignature(container: UiNode, direction: Direction): string {
  // A single child is a wrapper whose bounds do not change with the scroll position.
  let node = container
  for (let only = node; only.children.length === 1; only = node) node = only.children[0] ?? only
  return computeMovementSignature(node.children.length === 0 ? container : node, direction)
}

/** The resource id of the container, or its class and path. */
export function formatContainerName(container: UiNode): string {
  const id = attribute(container, 'resource-id')
  return id === '' ? `${attribute(container, 'class')}@${container.path}` : id
}

async function swipe(
  execution: EngineExecution,
  container: UiNode,
  sweep: { readonly direction: Direction; readonly distanceRatio: number },
): Promise<void> {
  const { bounds } = container
  if (bounds === null) throw new StepFailure('GESTURE_FAILED', 'The container has no bounds.')
  const path = computeSwipe(bounds, sweep.direction, sweep.distanceRatio)
  const { x1, y1, x2, y2, duration_ms } = path
  if (Math.hypot(x2 - x1, y2 - y1) < MIN_SWIPE_PX) {
    throw new StepFailure('GESTURE_FAILED', 'The swipe is too short: it would be a tap.')
  }
  await assertAdmitted(execution, container)
  await sendGesture(execution, (driver, limits) =>
    driver.swipe({ from: { x: x1, y: y1 }, to: { x: x2, y: y2 }, durationMs: duration_ms }, limits),
  )
}

/** Shorter swipes are taps on the densest screens. */
const MIN_SWIPE_PX = 32

const MESSAGES = {
  CONTAINER_NOT_FOUND: 'The container is not on the screen.',
  CONTAINER_NOT_SCROLLABLE: 'The container cannot be scrolled.',
  CONTAINER_AMBIGUOUS: 'Several containers on the screen match.',
}
