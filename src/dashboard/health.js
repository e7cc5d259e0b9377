import { get } from './api.js'
import { fill } from './element.js'

const POLL_MS = 10_000

/**
 * Shows the health of the daemon.
 *
 * @param {Element} place
 */
export function watchHealth(place) {
  const refresh = async () => {
    try {
      const { status, ...parts } = await get('/readyz')
      show(place, status, formatParts(parts))
    } catch {
      show(place, 'unreachable', 'The daemon does not answer.')
    }
  }
  setInterval(refresh, POLL_MS)
  return refresh()
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
function formatParts(parts) {
  return Object.entries(parts)
    .map(([name, { status, detail }]) => `${name}: ${detail ?? status}`)
    .join('\n')
}
