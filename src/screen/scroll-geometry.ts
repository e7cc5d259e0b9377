import type { Direction } from '@apprentice/contracts/devices/action.ts'
import type { Bounds } from './bounds.ts'
import { isDynamicText } from './fingerprint.ts'
import { type UiNode, attribute, subtree } from './hierarchy.ts'
import { labelOf } from './roles.ts'

/** A finger's path across the screen. */
export interface Swipe {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly duration_ms: number
}

const SWIPE_MS = 250

/**
 * The swipe that scrolls a container. Down and right pull the content from the far part towards the
 * near edge, up and left the other way; the finger never leaves the container.
 */
export function swipeFor(bounds: Bounds, direction: Direction, distanceRatio: number): Swipe {
  const travel = 0.4 * distanceRatio
  const forward = direction === 'down' || direction === 'right'
  const from = forward ? 0.8 - travel : 0.2 + travel
  const to = forward ? from - travel : from + travel
  const { left, top, right, bottom } = bounds
  if (direction === 'down' || direction === 'up') {
    const x = Math.floor((left + right) / 2)
    return { x1: x, y1: along(top, bottom, from), x2: x, y2: along(top, bottom, to), ...duration }
  }
  const y = Math.floor((top + bottom) / 2)
  return { x1: along(left, right, from), y1: y, x2: along(left, right, to), y2: y, ...duration }
}

/**
 * Where the first three children of a container stand, and what they say. Unchanged after a swipe, the
 * container has reached its edge. Rows of one height can come to rest exactly where others stood, so
 * places alone would not do.
 */
export function movementSignature(container: UiNode, direction: Direction): string {
  const vertical = direction === 'down' || direction === 'up'
  const marks = container.children.slice(0, 3).map((child, position) => {
    const name = attribute(child, 'resource-id') || String(position)
    const at = vertical ? child.bounds?.top : child.bounds?.left
    return [name, at ?? null, firstWords(child)]
  })
  return JSON.stringify(marks)
}

const duration = { duration_ms: SWIPE_MS }

function along(start: number, end: number, ratio: number): number {
  const at = Math.round(start + (end - start) * ratio)
  return Math.max(start, Math.min(end - 1, at))
}

function firstWords(node: UiNode): string {
  for (const one of subtree(node)) {
    const label = labelOf(one)
    if (label !== '' && !isDynamicText(label)) return label
  }
  return ''
}
