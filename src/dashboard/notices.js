import { make } from './element.js'

const DISPLAY_MS = 8000

/** @param {string} message */
export function notice(message) {
  const place = document.getElementById('notices')
  const one = make('p', { className: 'notice' }, message)
  const close = make('button', { type: 'button', 'aria-label': 'Dismiss', onclick: () => one.remove() }, '✕')
  one.append(close)
  place?.append(one)
  setTimeout(() => one.remove(), DISPLAY_MS)
}

/**
 * Runs work that a person started, and shows a notice if it fails.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T | undefined>}
 */
export async function attempt(work) {
  try {
    return await work()
  } catch (error) {
    notice(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
