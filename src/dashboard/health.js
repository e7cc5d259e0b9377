import { get } from './api.js'
import { fill } from './element.js'

const everyMs = 10_000

/**
 * Shows how the daemon is, in a word.
 *
 * @param {Element} place
 */
export function watchHealth(place) {
  const look = async () => {
    try {
      const { status, ...parts } = await get('/readyz')
      show(place, status, wordsOf(parts))
    } catch {
      show(place, 'unreachable', 'The daemon does not answer.')
    }
  }
  setInterval(look, everyMs)
  return look()
}

/**
 * @param {Element} place
 * @param {string} status
 * @param {string} details
 */
function show(place, status, details) {
  const mark = status === 'ok' ? '●' : '▲'
  place.className = `health ${status === 'ok' ? 'good' : 'bad'}`
  place.setAttribute('title', details)
  fill(place, `${mark} Daemon ${status}`)
}

/** @param {Record<string, { status: string, detail?: string }>} parts */
function wordsOf(parts) {
  return Object.entries(parts)
    .map(([name, { status, detail }]) => `${name}: ${detail ?? status}`)
    .join('\n')
}
