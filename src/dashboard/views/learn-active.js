import { get } from '../api.js'
import { createCaptured } from '../captured.js'
import { currentSession } from '../current-session.js'
import { badge, fill, make } from '../element.js'
import { createPhone } from '../phone.js'
import { createSessionControls } from '../session-controls.js'
import { createTimeline } from '../timeline.js'
import { formatDateTime, ENTRY_MODES, formatName, chooseTone } from '../format.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */

/** @param {HTMLElement} place */
export function showActive(place) {
  const empty = make(
    'p',
    { className: 'empty' },
    'No session is active. ',
    make('a', { href: '#/learn/new' }, 'Start one'),
    '.',
  )
  const others = make('ul', { className: 'others', 'aria-label': 'Active sessions' })
  const head = make('header', { className: 'session-head' })
  const disconnected = make(
    'p',
    { className: 'warning', role: 'status' },
    'Real-time updates unavailable; refreshing every 5 seconds.',
  )
  const controls = createSessionControls()
  const captured = createCaptured()
  const timeline = createTimeline()
  const phoneColumn = createPhoneColumn()
  const session = make(
    'div',
    { className: 'columns session' },
    make('div', {}, head, disconnected, controls.node, captured.node, timeline.node),
    phoneColumn.node,
  )
  place.append(empty, others, session)
  const stop = currentSession.watch(({ detail, active, live }) => {
    empty.hidden = detail !== undefined
    session.hidden = detail === undefined
    others.hidden = active.length < 2
    disconnected.hidden = live
    if (detail === undefined) return phoneColumn.clear()
    fill(others, ...active.map((item) => createSessionButton(item, detail)))
    fill(head, ...createHead(detail))
    controls.show(detail)
    captured.show(detail)
    timeline.show(detail)
    void phoneColumn.show(detail.session.device_serial)
  })
  return () => {
    stop()
    captured.dispose()
    phoneColumn.clear()
  }
}

/** @param {LearnSessionDetail} detail */
function createHead({ session, pending_ui_state }) {
  const { entry_mode, state, created_at, device_serial } = session
  return [
    make('h2', {}, ENTRY_MODES[entry_mode]),
    make(
      'p',
      { className: 'badges' },
      badge(formatName(state), chooseTone(state)),
      pending_ui_state !== undefined &&
        formatName(pending_ui_state) !== formatName(state) &&
        badge(formatName(pending_ui_state), chooseTone(pending_ui_state)),
      device_serial !== undefined && badge(device_serial),
      make('small', {}, `created ${formatDateTime(created_at)}`),
    ),
  ]
}

/**
 * @param {import('@apprentice/contracts/learn/runtime.ts').LearnHistoryItem} item
 * @param {LearnSessionDetail} detail
 */
function createSessionButton({ learn_session_id, title, entry_mode, state }, { session }) {
  const chosen = learn_session_id === session.learn_session_id
  return make(
    'li',
    {},
    make(
      'button',
      {
        type: 'button',
        'aria-pressed': String(chosen),
        onclick: () => currentSession.choose(learn_session_id),
      },
      `${title ?? ENTRY_MODES[entry_mode]} `,
      badge(formatName(state), chooseTone(state)),
    ),
  )
}

/** The live screen of the session's phone. */
function createPhoneColumn() {
  const node = make('div', { className: 'phone-column' })
  /** @type {{ serial: string, dispose: () => void } | undefined} */
  let open
  const clear = () => {
    open?.dispose()
    open = undefined
    fill(node)
  }
  const show = async (/** @type {string | undefined} */ serial) => {
    if (open?.serial === serial) return
    clear()
    if (serial === undefined) return
    open = { serial, dispose: () => {} }
    /** @type {{ devices: Device[] }} */
    const { devices } = await get('/api/devices').catch(() => ({ devices: [] }))
    const device = devices.find((one) => one.serial === serial)
    // Another session may have been chosen during the request.
    if (open?.serial !== serial || device === undefined) return
    const phone = createPhone(device)
    open = { serial, dispose: phone.dispose }
    fill(node, phone.node)
  }
  return { node, clear, show }
}
