import type { Direction } from '@apprentice/contracts/devices/action.ts'
import type { ContainerMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { type UiNode, attribute } from '../../../screen/hierarchy.ts'
import { resolveScrollContainer } from '../../../screen/scroll-container.ts'
import { movementSignature, swipeFor } from '../../../screen/scroll-geometry.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineRun } from '../engine-run.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { readScreen } from '../screen-reads.ts'
import { StepFailure } from '../step-failure.ts'
import { gesture } from '../touching.ts'

/** How a container is to be moved. */
export interface Sweep {
  readonly container?: ContainerMatcher | undefined
  readonly direction: Direction
  readonly distanceRatio: number
  readonly settleDelayMs: number
  readonly findFirstScrollableChild: boolean
  readonly strict?: boolean | undefined
}

export interface Swept {
  readonly reading: ScreenReading
  /** `lost`: the container is no longer on the screen. */
  readonly outcome: 'moved' | 'still' | 'lost'
}

/** The node a sweep acts on; fails when there is none. */
export function containerOn(reading: ScreenReading, sweep: Sweep): UiNode {
  const resolved = resolveScrollContainer(reading.hierarchy, sweep)
  if (resolved.kind === 'found') return resolved.node
  throw noContainer(resolved.error, reading)
}

export function noContainer(error: keyof typeof MESSAGES, seen: ScreenReading): StepFailure {
  if (error === 'CONTAINER_AMBIGUOUS') return new StepFailure(error, MESSAGES[error])
  return new StepFailure(error, MESSAGES[error], { retryable: true, seen })
}

/** One swipe in the container, and a look at what became of it. */
export async function sweepOnce(run: EngineRun, container: UiNode, sweep: Sweep): Promise<Swept> {
  const before = signatureOf(container, sweep)
  await swipe(run, container, sweep)
  await run.sleep(sweep.settleDelayMs)
  const reading = await readScreen(run)
  const after = resolveScrollContainer(reading.hierarchy, sweep)
  if (after.kind !== 'found') return { reading, outcome: 'lost' }
  return { reading, outcome: signatureOf(after.node, sweep) === before ? 'still' : 'moved' }
}

function signatureOf(container: UiNode, { direction }: Sweep): string {
  // A single child is a wrapper that fills the container wherever its content stands.
  let node = container
  for (let only = node; only.children.length === 1; only = node) node = only.children[0] ?? only
  return movementSignature(node.children.length === 0 ? container : node, direction)
}

/** A name a person can find the container by. */
export function nameOf(container: UiNode): string {
  const id = attribute(container, 'resource-id')
  return id === '' ? `${attribute(container, 'class')}@${container.path}` : id
}

async function swipe(run: EngineRun, container: UiNode, sweep: Sweep): Promise<void> {
  const { bounds } = container
  if (bounds === null) throw new StepFailure('GESTURE_FAILED', 'The container has no place.')
  const path = swipeFor(bounds, sweep.direction, sweep.distanceRatio)
  const { x1, y1, x2, y2, duration_ms } = path
  if (Math.hypot(x2 - x1, y2 - y1) < MIN_SWIPE_PX) {
    throw new StepFailure('GESTURE_FAILED', 'So short a swipe would be a tap.')
  }
  assertAdmitted(run, container)
  await gesture(run, (driver, limits) =>
    driver.swipe({ from: { x: x1, y: y1 }, to: { x: x2, y: y2 }, durationMs: duration_ms }, limits),
  )
}

/** What the densest screens still take for a finger that holds still. */
const MIN_SWIPE_PX = 32

const MESSAGES = {
  CONTAINER_NOT_FOUND: 'There is no such container on the screen.',
  CONTAINER_NOT_SCROLLABLE: 'The container cannot be scrolled.',
  CONTAINER_AMBIGUOUS: 'There are several such containers on the screen.',
}
