import type { Point } from '../../screen/tree/bounds.ts'
import type { PanelPoint } from './contacts.ts'
import type { PersonKey, Stroke } from './panel-decoder.ts'

/** The display in its current orientation. */
export interface Display {
  /** Size in the natural orientation of the device. */
  readonly width: number
  readonly height: number
  /** Quarter turns from the natural orientation. */
  readonly rotation: number
  /** Movements below this distance count as a tap. */
  readonly slopPx: number
}

/** One input of a person, in pixels of the displayed screen. */
export type PersonInput =
  | { readonly kind: 'tap' | 'long_press'; readonly point: Point; readonly atMs: number }
  | {
      readonly kind: 'swipe'
      readonly from: Point
      readonly to: Point
      readonly atMs: number
    }
  | { readonly kind: 'key'; readonly key: PersonKey; readonly atMs: number }
  /** Several fingers, or a touch without a position. */
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

/** Converts a panel point to a screen point. The axes of the panel do not rotate with the display. */
export function toScreen({ x, y }: PanelPoint, display: Display): Point {
  const { width, height, rotation } = display
  const panelX = Math.min(width - 1, Math.round(x * width))
  const panelY = Math.min(height - 1, Math.round(y * height))
  switch (rotation) {
    case 1:
      return { x: panelY, y: width - 1 - panelX }
    case 2:
      return { x: width - 1 - panelX, y: height - 1 - panelY }
    case 3:
      return { x: height - 1 - panelY, y: panelX }
    default:
      return { x: panelX, y: panelY }
  }
}

/** The size of the display in its current orientation. */
export function rotateSize({ width, height, rotation }: Display): {
  width: number
  height: number
} {
  return rotation % 2 === 1 ? { width: height, height: width } : { width, height }
}
