/** A screen rectangle in pixels. `right` and `bottom` are exclusive. */
export interface Bounds {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Point {
  readonly x: number
  readonly y: number
}

const BOUNDS_PATTERN = /^\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]$/

/** Parses `[l,t][r,b]` as a dump writes it. Returns null for any other text. */
export function parseBounds(text: string): Bounds | null {
  const match = BOUNDS_PATTERN.exec(text)
  if (match === null) return null
  return {
    left: Number(match[1]),
    top: Number(match[2]),
    right: Number(match[3]),
    bottom: Number(match[4]),
  }
}

export function hasArea({ left, top, right, bottom }: Bounds): boolean {
  return right > left && bottom > top
}

export function intersects(a: Bounds, b: Bounds): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

export function contains(outer: Bounds, inner: Bounds): boolean {
  return (
    outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom
  )
}

export function area({ left, top, right, bottom }: Bounds): number {
  return Math.max(0, right - left) * Math.max(0, bottom - top)
}

/** What two rectangles have in common. It has no area if they do not overlap. */
export function intersection(a: Bounds, b: Bounds): Bounds {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

export function union(a: Bounds, b: Bounds): Bounds {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  }
}

export function centre({ left, top, right, bottom }: Bounds): Point {
  return { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
}

/** Whether a rectangle lies in another one. */
export function isWithin(inner: Bounds | null, outer: Bounds | null): boolean {
  if (inner === null || outer === null) return false
  return (
    inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom
  )
}
