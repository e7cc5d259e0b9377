import { fill, make } from './element.js'

/** @typedef {import('@apprentice/contracts/devices/screen.ts').ScreenElement} ScreenElement */
/** @typedef {import('./gestures.js').Point} Point */

/**
 * What lies over the picture of a phone: a frame round what the pointer is on, and for the keyboard a button for
 * everything that can be tapped.
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
    lay: (next) => {
      elements = next
      frame.hidden = true
      const focused = document.activeElement
      const key = focused instanceof HTMLElement ? focused.dataset['key'] : undefined
      const buttons = next.filter(canBeTapped).map((element) => targetOf(element, size, tap))
      fill(targets, ...buttons)
      if (key !== undefined) buttons.find((button) => button.dataset['key'] === key)?.focus()
    },
    /** @param {Point | undefined} at in pixels of the phone */
    point: (at) => {
      const found = at === undefined ? undefined : elementAt(elements, at)
      frame.hidden = found === undefined
      if (found === undefined) return
      place(frame, found, size)
      frame.classList.toggle('low', found.bounds[1] < size.height / 12)
      fill(name, `${nameOf(found)} · ${kindOf(found)}`)
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
function targetOf(element, size, tap) {
  const [left, top, right, bottom] = element.bounds
  const at = { x: Math.floor((left + right) / 2), y: Math.floor((top + bottom) / 2) }
  const button = make('button', {
    type: 'button',
    'aria-label': `Tap ${nameOf(element)}`,
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
  const part = (/** @type {number} */ some, /** @type {number} */ all) => `${(100 * some) / all}%`
  node.style.left = part(left, width)
  node.style.top = part(top, height)
  node.style.width = part(right - left, width)
  node.style.height = part(bottom - top, height)
}

/**
 * The smallest element there, so that a button counts before the row it is in.
 *
 * @param {readonly ScreenElement[]} elements
 * @param {Point} at
 */
function elementAt(elements, { x, y }) {
  const area = (/** @type {ScreenElement} */ { bounds: [left, top, right, bottom] }) =>
    (right - left) * (bottom - top)
  return elements
    .filter(
      ({ bounds: [left, top, right, bottom] }) => left <= x && x < right && top <= y && y < bottom,
    )
    .toSorted((a, b) => area(a) - area(b))[0]
}

/** @param {ScreenElement} element */
function nameOf({ label, resource_id, password, role }) {
  if (password) return 'password field'
  return label || (resource_id?.split('/').at(-1) ?? '') || role || 'element'
}

/** @param {ScreenElement} element */
function kindOf({ role, clickable, scrollable }) {
  if (role !== null && role !== 'container') return role.replaceAll('_', ' ')
  if (clickable) return 'can be tapped'
  return scrollable ? 'scrolls' : 'shows'
}
