import { get } from '../api.js'
import { badge, fill, make } from '../element.js'
import { createExecutions } from '../executions.js'
import { createPhone } from '../phone.js'
import { plain, toneOf } from '../words.js'

/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */

const everyMs = 5000

/**
 * The phones there are, and one of them to see and touch.
 *
 * @param {HTMLElement} place
 * @param {readonly string[]} path
 */
export function showDevices(place, [wanted]) {
  const list = make('ul', { className: 'devices' })
  const executions = createExecutions()
  const stage = make('div', { className: 'stage' })
  /** @type {{ serial: string, dispose: () => void } | undefined} */
  let open
  let closed = false
  const look = async () => {
    /** @type {{ devices: Device[] }} */
    const { devices } = await get('/api/devices')
    const chosen = devices.find(({ serial }) => serial === decodeURIComponent(wanted ?? ''))
    const shown = chosen ?? devices[0]
    fill(list, ...devices.map((device) => cardOf(device, device === shown)))
    if (shown === undefined) return fill(stage, nobody())
    await executions.show(shown.serial)
    if (open?.serial === shown.serial || closed) return
    open?.dispose()
    const { node, dispose } = createPhone(shown)
    open = { serial: shown.serial, dispose }
    fill(stage, node)
  }
  // The header tells when the daemon does not answer.
  const quietly = () => void look().catch(() => undefined)
  quietly()
  const timer = setInterval(quietly, everyMs)
  place.append(
    make('h1', {}, 'Devices'),
    make('div', { className: 'columns seen' }, make('div', {}, list, executions.node), stage),
  )
  return () => {
    clearInterval(timer)
    closed = true
    open?.dispose()
  }
}

function nobody() {
  return make(
    'p',
    { className: 'empty' },
    'No device has been seen. Connect a phone with USB debugging allowed, or start the daemon with APPRENTICE_PHONE=simulated.',
  )
}

/**
 * @param {Device} device
 * @param {boolean} chosen
 */
function cardOf(device, chosen) {
  const { serial, label, facts, state, simulated, lease, queue_depth } = device
  const link = make(
    'a',
    { href: `#/devices/${encodeURIComponent(serial)}`, className: 'card' },
    make('strong', {}, label ?? facts.model ?? serial),
    make(
      'span',
      { className: 'badges' },
      badge(plain(state), toneOf(state)),
      simulated && badge('simulated'),
      lease !== undefined && badge(`in use by ${lease.owner_user_id}`, 'busy'),
      queue_depth > 0 && badge(`${queue_depth} under way`, 'busy'),
    ),
    make('small', {}, factsOf(device)),
  )
  if (chosen) link.setAttribute('aria-current', 'true')
  return make('li', {}, link)
}

/** @param {Device} device */
function factsOf({ serial, facts }) {
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
