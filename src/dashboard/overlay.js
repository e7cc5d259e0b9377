import { fill, make } from './element.js'

/** @typedef {import('@apprentice/contracts/devices/screen.ts').ScreenElement} ScreenElement */
/** @typedef {import('./gestures.js').Point} Point */

/**
 * The layer above the screen of a phone: a frame around the element under the pointer, and a button for each element
 * that can be tapped, for use with the keyboard.
 *
 * @param {(at: Point) => void} tap in pixels of the phone
 */
export function createOverlay(tap) {
  const targets = make('div', { className: 'targets' })
  const name = make('span')
  const frame = make('div', { className: 'pointed', hidden: true }, name)
  /** @type {readonly ScreenElement[]} */
  let elements = []
  let size = { width: 1, height: 1 }

  return {
    nodes: [targets, frame],
    /** @param {{ width: number, height: number }} screen */
    resize: ({ width, height }) => {
      size = { width, height }
    },
    /** @param {readonly ScreenElement[]} next */
    setElements: (next) => {
      elements = next
      frame.hidden = true
      const focused = document.activeElement
      const key = focused instanceof HTMLElement ? focused.dataset['key'] : undefined
      const buttons = next.filter(canBeTapped).map((element) => createTarget(element, size, tap))
      fill(targets, ...buttons)
      if (key !== undefined) buttons.find((button) => button.dataset['key'] === key)?.focus()
    },
    /** @param {Point | undefined} at in pixels of the phone */
    pointAt: (at) => {
      const found = at === undefined ? undefined : elementAt(elements, at)
      frame.hidden = found === undefined
      if (found === undefined) return
      place(frame, found, size)
      frame.classList.toggle('low', found.bounds[1] < size.height / 12)
      fill(name, `${readName(found)} · ${describeKind(found)}`)
    },
  }
}

/** @param {ScreenElement} element */
const canBeTapped = ({ clickable, enabled }) => clickable && enabled

/**
 * @param {ScreenElement} element
 * @param {{ width: number, height: number }} size
 * @param {(at: Point) => void} tap
 */
function createTarget(element, size, tap) {
  const [left, top, right, bottom] = element.bounds
  const at = { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
  const button = make('button', {
    type: 'button',
    'aria-label': `Tap ${readName(element)}`,
    onclick: () => tap(at),
  })
  button.dataset['key'] = `${element.resource_id ?? ''}|${element.label}|${left},${top}`
  place(button, element, size)
  return button
}

/**
 * @param {HTMLElement} node
 * @param {ScreenElement} element
 * @param {{ width: number, height: number }} size
 */
function place(node, { bounds: [left, top, right, bottom] }, { width, height }) {
  const percent = (/** @type {number} */ part, /** @type {number} */ whole) => `${(100 * part) / whole}%`
  node.style.left = percent(left, width)
  node.style.top = percent(top, height)
  node.style.width = percent(right - left, width)
  node.style.height = percent(bottom - top, height)
}

/**
 * The smallest element at a point, so that a button is found before the row that contains it.
 *
 * @param {readonly ScreenElement[]} elements
 * @param {Point} at
 */
function elementAt(elements, { x, y }) {
  const area = (/** @type {ScreenElement} */ { bounds: [left, top, right, bottom] }) => (right - left) * (bottom - top)
  return elements
    .filter(({ bounds: [left, top, right, bottom] }) => left <= x && x < right && top <= y && y < bottom)
    .toSorted((a, b) => area(a) - area(b))[0]
}

/** @param {ScreenElement} element */
function readName({ label, resource_id, password, role }) {
  if (password) return 'password field'
  return label || (resource_id?.split('/').at(-1) ?? '') || role || 'element'
}

/** @param {ScreenElement} element */
function describeKind({ role, clickable, scrollable }) {
  if (role !== null && role !== 'container') return role.replaceAll('_', ' ')
  if (clickable) return 'tappable'
  return scrollable ? 'scrollable' : 'content'
}
