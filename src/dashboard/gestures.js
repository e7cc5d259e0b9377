/** @typedef {{ x: number, y: number }} Point */
/**
 * @typedef {object} Hands
 * @property {(at: Point) => void} tap
 * @property {(at: Point) => void} longPress
 * @property {(from: Point, to: Point) => void} swipe
 * @property {(at: Point | undefined) => void} hover
 */

const longPressMs = 550
const stillPx = 10

/**
 * Turns what a mouse or a finger does on a surface into what a hand does to a phone. Points are parts of the
 * surface, 0 to 1 both ways.
 *
 * @param {HTMLElement} surface
 * @param {Hands} hands
 */
export function readGestures(surface, hands) {
  /** @type {{ id: number, at: Point, px: Point, timer: number, held: boolean } | undefined} */
  let touch
  const end = () => {
    clearTimeout(touch?.timer)
    touch = undefined
  }
  surface.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || touch !== undefined) return
    surface.setPointerCapture(event.pointerId)
    const at = placeOf(surface, event)
    const timer = window.setTimeout(() => {
      if (touch === undefined) return
      touch.held = true
      hands.longPress(at)
    }, longPressMs)
    const px = { x: event.clientX, y: event.clientY }
    touch = { id: event.pointerId, at, px, timer, held: false }
  })
  surface.addEventListener('pointermove', (event) => {
    hands.hover(placeOf(surface, event))
    if (touch !== undefined && hasMoved(touch.px, event)) clearTimeout(touch.timer)
  })
  surface.addEventListener('pointerup', (event) => {
    if (touch?.id !== event.pointerId) return
    const { at, px, held } = touch
    end()
    if (held) return
    if (hasMoved(px, event)) hands.swipe(at, placeOf(surface, event))
    else hands.tap(at)
  })
  surface.addEventListener('pointercancel', end)
  surface.addEventListener('pointerleave', () => hands.hover(undefined))
  surface.addEventListener('contextmenu', (event) => event.preventDefault())
}

/**
 * @param {Point} from
 * @param {PointerEvent} event
 */
function hasMoved(from, event) {
  return Math.hypot(event.clientX - from.x, event.clientY - from.y) > stillPx
}

/**
 * @param {HTMLElement} surface
 * @param {PointerEvent} event
 * @returns {Point}
 */
function placeOf(surface, event) {
  const { left, top, width, height } = surface.getBoundingClientRect()
  const within = (/** @type {number} */ part) => Math.min(0.9999, Math.max(0, part))
  return { x: within((event.clientX - left) / width), y: within((event.clientY - top) / height) }
}
