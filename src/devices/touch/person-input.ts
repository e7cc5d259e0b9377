import type { Point } from '../../screen/bounds.ts'
import type { PanelPoint } from './contacts.ts'
import type { PersonKey, Stroke } from './panel-decoder.ts'

/** The display as it stands now. */
export interface Display {
  /** In the orientation the device was built for. */
  readonly width: number
  readonly height: number
  /** Quarter turns from there. */
  readonly rotation: number
  /** A finger that stays within this distance has not moved. */
  readonly slopPx: number
}

/** What a person did, in pixels of the screen they saw. */
export type PersonInput =
  | { readonly kind: 'tap' | 'long_press'; readonly point: Point; readonly atMs: number }
  | {
      readonly kind: 'swipe'
      readonly from: Point
      readonly to: Point
      readonly atMs: number
    }
  | { readonly kind: 'key'; readonly key: PersonKey; readonly atMs: number }
  /** Several fingers, or a touch whose place the panel did not tell. */
  | { readonly kind: 'unclear'; readonly atMs: number }

export const LONG_PRESS_MS = 500

export function readStroke(stroke: Stroke, display: Display, atMs: number): PersonInput {
  const path = stroke.path.map((point) => toScreen(point, display))
  const [from, to] = [path[0], path.at(-1)]
  if (stroke.fingers > 1 || from === undefined || to === undefined) return { kind: 'unclear', atMs }
  const reach = Math.max(...path.map(({ x, y }) => Math.hypot(x - from.x, y - from.y)))
  if (reach >= display.slopPx) return { kind: 'swipe', from, to, atMs }
  const heldMs = (stroke.endedUs - stroke.startedUs) / 1000
  return { kind: heldMs >= LONG_PRESS_MS ? 'long_press' : 'tap', point: from, atMs }
}

/** A panel does not turn with the picture: its axes stay those of the device as it was built. */
export function toScreen({ x, y }: PanelPoint, display: Display): Point {
  const { width, height, rotation } = display
  const across = Math.min(width - 1, Math.round(x * width))
  const down = Math.min(height - 1, Math.round(y * height))
  switch (rotation) {
    case 1:
      return { x: down, y: width - 1 - across }
    case 2:
      return { x: width - 1 - across, y: height - 1 - down }
    case 3:
      return { x: height - 1 - down, y: across }
    default:
      return { x: across, y: down }
  }
}

/** The size of the picture a person sees. */
export function shownSize({ width, height, rotation }: Display): { width: number; height: number } {
  return rotation % 2 === 1 ? { width: height, height: width } : { width, height }
}
