import { get } from '../api.js'
import { badge, fill, make } from '../element.js'
import { createExecutions } from '../executions.js'
import { createPhone } from '../phone.js'
import { formatName, chooseTone } from '../format.js'

/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */

const POLL_MS = 5000

/**
 * The list of phones, and the live screen of one of them.
 *
 * @param {HTMLElement} place
 * @param {readonly string[]} path
 */
export function showDevices(place, [chosenSerial]) {
  const list = make('ul', { className: 'devices' })
  const executions = createExecutions()
  const phoneColumn = make('div', { className: 'phone-column' })
  /** @type {{ serial: string, dispose: () => void } | undefined} */
  let open
  let closed = false
  const refresh = async () => {
    /** @type {{ devices: Device[] }} */
    const { devices } = await get('/api/devices')
    const chosen = devices.find(({ serial }) => serial === decodeURIComponent(chosenSerial ?? ''))
    const displayed = chosen ?? devices[0]
    fill(list, ...devices.map((device) => createCard(device, device === displayed)))
    if (displayed === undefined) return fill(phoneColumn, createEmptyNote())
    await executions.show(displayed.serial)
    if (open?.serial === displayed.serial || closed) return
    open?.dispose()
    const { node, dispose } = createPhone(displayed)
    open = { serial: displayed.serial, dispose }
    fill(phoneColumn, node)
  }
  // The header shows when the daemon does not answer.
  const refreshQuietly = () => void refresh().catch(() => undefined)
  refreshQuietly()
  const timer = setInterval(refreshQuietly, POLL_MS)
  place.append(
    make('h1', {}, 'Devices'),
    make('div', { className: 'columns devices-view' }, make('div', {}, list, executions.node), phoneColumn),
  )
  return () => {
    clearInterval(timer)
    closed = true
    open?.dispose()
  }
}

function createEmptyNote() {
  return make(
    'p',
    { className: 'empty' },
    'No devices found. Connect a phone with USB debugging enabled, or start the daemon with APPRENTICE_PHONE=simulated.',
  )
}

/**
 * @param {Device} device
 * @param {boolean} chosen
 */
function createCard(device, chosen) {
  const { serial, label, facts, state, simulated, lease, queue_depth } = device
  const link = make(
    'a',
    { href: `#/devices/${encodeURIComponent(serial)}`, className: 'card' },
    make('strong', {}, label ?? facts.model ?? serial),
    make(
      'span',
      { className: 'badges' },
      badge(formatName(state), chooseTone(state)),
      simulated && badge('simulated'),
      lease !== undefined && badge(`in use by ${lease.owner_user_id}`, 'busy'),
      queue_depth > 0 && badge(`${queue_depth} queued`, 'busy'),
    ),
    make('small', {}, formatFacts(device)),
  )
  if (chosen) link.setAttribute('aria-current', 'true')
  return make('li', {}, link)
}

/** @param {Device} device */
function formatFacts({ serial, facts }) {
  const { android_version, battery_level, charging, width, height } = facts
  return [
    serial,
    android_version && `Android ${android_version}`,
    width && height && `${width} × ${height}`,
    battery_level !== undefined && `battery ${battery_level} %${charging ? ', charging' : ''}`,
  ]
    .filter(Boolean)
    .join(' · ')
}
