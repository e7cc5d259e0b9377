import type { Bounds } from './tree/bounds.ts'
import type { UiNode } from './tree/hierarchy.ts'

/** A range along one axis of the screen. `end` is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

export function length({ start, end }: Span): number {
  return Math.max(0, end - start)
}

export function overlap(a: Span, b: Span): Span {
  return { start: Math.max(a.start, b.start), end: Math.min(a.end, b.end) }
}

export function toSpan(bounds: Bounds | null | undefined, vertical: boolean): Span | undefined {
  if (bounds === null || bounds === undefined) return undefined
  const { left, top, right, bottom } = bounds
  return vertical ? { start: top, end: bottom } : { start: left, end: right }
}

export function isDescendant(node: UiNode, container: UiNode): boolean {
  return node.path.startsWith(`${container.path}.`)
}
