import { type Bounds, union } from '../tree/bounds.ts'
import type { UiNode } from '../tree/hierarchy.ts'
import { readBounds } from './node-kind.ts'

/** Sorts nodes into lines from the top, each line from the left. Nodes of one line overlap vertically by half. */
export function arrangeLines(nodes: readonly UiNode[]): UiNode[][] {
  const sorted = nodes.toSorted(
    (a, b) => readBounds(a).top - readBounds(b).top || readBounds(a).left - readBounds(b).left,
  )
  const lines: { top: number; bottom: number; nodes: UiNode[] }[] = []
  for (const node of sorted) {
    const { top, bottom } = readBounds(node)
    const line = lines.at(-1)
    const shared = line === undefined ? 0 : Math.min(bottom, line.bottom) - Math.max(top, line.top)
    const smaller = line === undefined ? 1 : Math.min(bottom - top, line.bottom - line.top)
    if (line !== undefined && shared * 2 > smaller) line.nodes.push(node)
    else lines.push({ top, bottom, nodes: [node] })
  }
  return lines.map((line) => line.nodes.toSorted((a, b) => readBounds(a).left - readBounds(b).left))
}

export function measureWidth({ left, right }: Bounds): number {
  return right - left
}

export function measureHeight({ top, bottom }: Bounds): number {
  return bottom - top
}

export function isNear(a: number, b: number, tolerance: number): boolean {
  return Math.abs(a - b) <= tolerance
}

/** The share of the smaller of two rectangles that lies in the other. */
export function shareOverlap(a: Bounds, b: Bounds): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  if (width <= 0 || height <= 0) return 0
  const smaller = Math.min(measureWidth(a) * measureHeight(a), measureWidth(b) * measureHeight(b))
  return smaller === 0 ? 0 : (width * height) / smaller
}

/** The rectangle around nodes. */
export function unite(nodes: readonly UiNode[]): Bounds {
  let place: Bounds | undefined
  for (const node of nodes) place = place === undefined ? readBounds(node) : union(place, readBounds(node))
  return place ?? { left: 0, top: 0, right: 0, bottom: 0 }
}
