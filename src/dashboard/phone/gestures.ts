export interface Point {
  readonly x: number
  readonly y: number
}

export interface GestureHandlers {
  readonly tap: (at: Point) => void
  readonly longPress: (at: Point) => void
  readonly swipe: (from: Point, to: Point) => void
  readonly hover: (at: Point | undefined) => void
}

const LONG_PRESS_MS = 550
const TAP_TOLERANCE_PX = 10

/**
 * Turns pointer events on a surface into gestures on a phone. Points are fractions of the surface, from 0 to 1. Returns
 * a function that removes the listeners.
 */
export function readGestures(surface: HTMLElement, handlers: GestureHandlers): () => void {
  const listeners = new AbortController()
  const { signal } = listeners
  let touch: { id: number; at: Point; px: Point; timer: number; isLongPress: boolean } | undefined
  const end = (): void => {
    clearTimeout(touch?.timer)
    touch = undefined
  }
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0 || touch !== undefined) return
    surface.setPointerCapture(event.pointerId)
    const at = readPoint(surface, event)
    const timer = window.setTimeout(() => {
      if (touch === undefined) return
      touch.isLongPress = true
      handlers.longPress(at)
    }, LONG_PRESS_MS)
    const px = { x: event.clientX, y: event.clientY }
    touch = { id: event.pointerId, at, px, timer, isLongPress: false }
  }
  const onUp = (event: PointerEvent): void => {
    if (touch?.id !== event.pointerId) return
    const { at, px, isLongPress } = touch
    end()
    if (isLongPress) return
    if (hasMoved(px, event)) handlers.swipe(at, readPoint(surface, event))
    else handlers.tap(at)
  }
  const onMove = (event: PointerEvent): void => {
    handlers.hover(readPoint(surface, event))
    if (touch !== undefined && hasMoved(touch.px, event)) clearTimeout(touch.timer)
  }
  surface.addEventListener('pointerdown', onDown, { signal })
  surface.addEventListener('pointermove', onMove, { signal })
  surface.addEventListener('pointerup', onUp, { signal })
  surface.addEventListener('pointercancel', end, { signal })
  surface.addEventListener('pointerleave', () => handlers.hover(undefined), { signal })
  surface.addEventListener('contextmenu', (event) => event.preventDefault(), { signal })
  return () => {
    end()
    listeners.abort()
  }
}

const hasMoved = (from: Point, event: PointerEvent): boolean =>
  Math.hypot(event.clientX - from.x, event.clientY - from.y) > TAP_TOLERANCE_PX

function readPoint(surface: HTMLElement, event: PointerEvent): Point {
  const { left, top, width, height } = surface.getBoundingClientRect()
  const within = (part: number): number => Math.min(0.9999, Math.max(0, part))
  return { x: within((event.clientX - left) / width), y: within((event.clientY - top) / height) }
}
