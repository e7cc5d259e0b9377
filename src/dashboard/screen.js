import { fill, make } from './element.js'
import { readGestures } from './gestures.js'
import { createOverlay } from './overlay.js'

/** @typedef {import('@apprentice/contracts/devices/screen.ts').ScreenFrame} ScreenFrame */
/** @typedef {import('@apprentice/contracts/devices/screen.ts').ScreenElements} ScreenElements */
/** @typedef {import('./gestures.js').Point} Point */

/**
 * The screen of a phone with its overlay. Gestures on it are sent as input.
 *
 * @param {string} name
 * @param {(input: object) => Promise<void>} send
 */
export function createScreen(name, send) {
  const canvas = make('canvas', { role: 'img', 'aria-label': `Screen of ${name}` })
  const note = make('p', { className: 'screen-note' }, 'Waiting for the screen …')
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
    hover: (at) => overlay.pointAt(at && pixel(at)),
  })
  const drawNewest = processNewest(async (/** @type {ScreenFrame} */ frame) => {
    await draw(canvas, frame)
    node.dataset['frame'] = frame.frame_id
  })
  return {
    node,
    /** @param {ScreenFrame} frame */
    show: (frame) => {
      // Before the picture is decoded, because elements may arrive first.
      overlay.resize(frame)
      node.style.setProperty('--ratio', String(frame.width / frame.height))
      return drawNewest(frame)
    },
    /** @param {ScreenElements} screen */
    setElements: ({ elements }) => overlay.setElements(elements),
    /** @param {string} text */
    showNote: (text) => {
      fill(note, text)
      note.hidden = text === ''
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
  // Setting the size clears the canvas, even if it is the same.
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
 * Processes one item at a time. Of the items that arrive meanwhile only the newest is processed.
 *
 * @template T
 * @param {(item: T) => Promise<void>} work
 */
function processNewest(work) {
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
      // A picture that no longer exists is followed by a newer one.
      await work(next).catch(() => undefined)
    }
    busy = false
  }
}
