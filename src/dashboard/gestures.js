/** @typedef {{ x: number, y: number }} Point */
/**
 * @typedef {object} GestureHandlers
 * @property {(at: Point) => void} tap
 * @property {(at: Point) => void} longPress
 * @property {(from: Point, to: Point) => void} swipe
 * @property {(at: Point | undefined) => void} hover
 */

const LONG_PRESS_MS = 550
const TAP_TOLERANCE_PX = 10

/**
 * Turns pointer events on a surface into gestures on a phone. Points are fractions of the surface, from 0 to 1.
 *
 * @param {HTMLElement} surface
 * @param {GestureHandlers} handlers
 */
export function readGestures(surface, handlers) {
  /** @type {{ id: number, at: Point, px: Point, timer: number, isLongPress: boolean } | undefined} */
  let touch
  const end = () => {
    clearTimeout(touch?.timer)
    touch = undefined
  }
  surface.addEventListener('pointerdown', (event) => {
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
  })
  surface.addEventListener('pointermove', (event) => {
    handlers.hover(readPoint(surface, event))
    if (touch !== undefined && hasMoved(touch.px, event)) clearTimeout(touch.timer)
  })
  surface.addEventListener('pointerup', (event) => {
    if (touch?.id !== event.pointerId) return
    const { at, px, isLongPress } = touch
    end()
    if (isLongPress) return
    if (hasMoved(px, event)) handlers.swipe(at, readPoint(surface, event))
    else handlers.tap(at)
  })
  surface.addEventListener('pointercancel', end)
  surface.addEventListener('pointerleave', () => handlers.hover(undefined))
  surface.addEventListener('contextmenu', (event) => event.preventDefault())
}

/**
 * @param {Point} from
 * @param {PointerEvent} event
 */
function hasMoved(from, event) {
  return Math.hypot(event.clientX - from.x, event.clientY - from.y) > TAP_TOLERANCE_PX
}

/**
 * @param {HTMLElement} surface
 * @param {PointerEvent} event
 * @returns {Point}
 */
function readPoint(surface, event) {
  const { left, top, width, height } = surface.getBoundingClientRect()
  const within = (/** @type {number} */ part) => Math.min(0.9999, Math.max(0, part))
  return { x: within((event.clientX - left) / width), y: within((event.clientY - top) / height) }
}
