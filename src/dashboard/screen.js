import { fill, make } from './element.js'
import { readGestures } from './gestures.js'
import { createOverlay } from './overlay.js'

/** @typedef {import('@apprentice/contracts/devices/screen.ts').ScreenFrame} ScreenFrame */
/** @typedef {import('@apprentice/contracts/devices/screen.ts').ScreenElements} ScreenElements */
/** @typedef {import('./gestures.js').Point} Point */

/**
 * The picture of a phone, with what lies over it; what is done to it is sent as input.
 *
 * @param {string} name
 * @param {(input: object) => Promise<void>} send
 */
export function createScreen(name, send) {
  const canvas = make('canvas', { role: 'img', 'aria-label': `Screen of ${name}` })
  const note = make('p', { className: 'screen-note' }, 'Waiting for a picture …')
  const touch = make('span', { className: 'touch', hidden: true })
  const tap = (/** @type {Point} */ { x, y }) => void send({ kind: 'tap', x, y })
  const overlay = createOverlay(tap)
  const node = make('div', { className: 'screen' }, canvas, ...overlay.nodes, touch, note)
  const pixel = (/** @type {Point} */ { x, y }) => ({
    x: Math.floor(x * canvas.width),
    y: Math.floor(y * canvas.height),
  })
  readGestures(node, {
    tap: (at) => {
      markTouch(touch, at)
      tap(pixel(at))
    },
    longPress: (at) => {
      markTouch(touch, at)
      void send({ kind: 'long_press', ...pixel(at) })
    },
    swipe: (from, to) => void send({ kind: 'swipe', from: pixel(from), to: pixel(to) }),
    hover: (at) => overlay.point(at && pixel(at)),
  })
  const drawNewest = newestOnly(async (/** @type {ScreenFrame} */ frame) => {
    await draw(canvas, frame)
    node.dataset['frame'] = frame.frame_id
  })
  return {
    node,
    /** @param {ScreenFrame} frame */
    show: (frame) => {
      // At once: elements may come before the picture is there.
      overlay.resize(frame)
      node.style.setProperty('--ratio', String(frame.width / frame.height))
      return drawNewest(frame)
    },
    /** @param {ScreenElements} shown */
    lay: ({ elements }) => overlay.lay(elements),
    /** @param {string} words */
    say: (words) => {
      fill(note, words)
      note.hidden = words === ''
    },
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {ScreenFrame} frame
 */
async function draw(canvas, { url, width, height }) {
  const picture = new Image()
  picture.src = url
  await picture.decode()
  // To set a size, even the same one, wipes the canvas.
  if (canvas.width !== width) canvas.width = width
  if (canvas.height !== height) canvas.height = height
  canvas.getContext('2d')?.drawImage(picture, 0, 0)
}

/**
 * @param {HTMLElement} touch
 * @param {Point} at
 */
function markTouch(touch, { x, y }) {
  touch.hidden = true
  touch.style.left = `${x * 100}%`
  touch.style.top = `${y * 100}%`
  requestAnimationFrame(() => {
    touch.hidden = false
  })
}

/**
 * Does one after the other, and leaves out all but the newest of what came meanwhile.
 *
 * @template T
 * @param {(item: T) => Promise<void>} work
 */
function newestOnly(work) {
  /** @type {T | undefined} */
  let waiting
  let busy = false
  return async (/** @type {T} */ item) => {
    waiting = item
    if (busy) return
    busy = true
    while (waiting !== undefined) {
      const next = waiting
      waiting = undefined
      // A picture that is gone is followed by a newer one.
      await work(next).catch(() => undefined)
    }
    busy = false
  }
}
