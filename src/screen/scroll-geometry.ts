import type { Direction } from '@apprentice/contracts/devices/action.ts'
import type { Bounds } from './tree/bounds.ts'
import { isDynamicText } from './fingerprint.ts'
import { type UiNode, attribute, subtree } from './tree/hierarchy.ts'
import { readLabel } from './tree/roles.ts'

/** A straight swipe across the screen. */
export interface Swipe {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly duration_ms: number
}

const SWIPE_MS = 250

/**
 * Computes the swipe that scrolls a container. `down` and `right` swipe towards the top or left edge, `up`
 * and `left` the other way. The swipe stays inside the container.
 */
export function computeSwipe(bounds: Bounds, direction: Direction, distanceRatio: number): Swipe {
  const travel = 0.4 * distanceRatio
  const forward = direction === 'down' || direction === 'right'
  const from = forward ? 0.8 - travel : 0.2 + travel
  const to = forward ? from - travel : from + travel
  const { left, top, right, bottom } = bounds
  if (direction === 'down' || direction === 'up') {
    const x = Math.floor((left + right) / 2)
    return {
      x1: x,
      y1: interpolate(top, bottom, from),
      x2: x,
      y2: interpolate(top, bottom, to),
      ...SWIPE_DURATION,
    }
  }
  const y = Math.floor((top + bottom) / 2)
  return {
    x1: interpolate(left, right, from),
    y1: y,
    x2: interpolate(left, right, to),
    y2: y,
    ...SWIPE_DURATION,
  }
}

/**
 * Describes the positions and labels of the first three children of a container. If it is unchanged after
 * a swipe, the container has reached its edge. Positions alone are not enough: rows of equal height can
 * stop exactly where other rows were.
 */
export function computeMovementSignature(container: UiNode, direction: Direction): string {
  const vertical = direction === 'down' || direction === 'up'
  const marks = container.children.slice(0, 3).map((child, position) => {
    const name = attribute(child, 'resource-id') || String(position)
    const at = vertical ? child.bounds?.top : child.bounds?.left
    return [name, at ?? null, readFirstLabel(child)]
  })
  return JSON.stringify(marks)
}

const SWIPE_DURATION = { duration_ms: SWIPE_MS }

function interpolate(start: number, end: number, ratio: number): number {
  const at = Math.round(start + (end - start) * ratio)
  return Math.max(start, Math.min(end - 1, at))
}

function readFirstLabel(node: UiNode): string {
  for (const one of subtree(node)) {
    const label = readLabel(one)
    if (label !== '' && !isDynamicText(label)) return label
  }
  return ''
}
