import { get } from '../api.js'
import { createCaptured } from '../captured.js'
import { currentSession } from '../current-session.js'
import { badge, fill, make } from '../element.js'
import { createPhone } from '../phone.js'
import { createSessionControls } from '../session-controls.js'
import { createTimeline } from '../timeline.js'
import { dateTime, entryModes, plain, toneOf } from '../words.js'

/** @typedef {import('../current-session.js').Shown} Shown */
/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/devices/device.ts').Device} Device */

/** @param {HTMLElement} place */
export function showActive(place) {
  const nobody = make(
    'p',
    { className: 'empty' },
    'No session is under way. ',
    make('a', { href: '#/learn/new' }, 'Begin one'),
    '.',
  )
  const others = make('ul', { className: 'others', 'aria-label': 'Sessions under way' })
  const head = make('header', { className: 'session-head' })
  const lost = make(
    'p',
    { className: 'warning', role: 'status' },
    'Real-time updates unavailable; asking every 5 seconds.',
  )
  const controls = createSessionControls()
  const captured = createCaptured()
  const timeline = createTimeline()
  const stage = createStage()
  const session = make(
    'div',
    { className: 'columns session' },
    make('div', {}, head, lost, controls.node, captured.node, timeline.node),
    stage.node,
  )
  place.append(nobody, others, session)
  const stop = currentSession.watch((shown) => {
    const { detail, under_way, live } = shown
    nobody.hidden = detail !== undefined
    session.hidden = detail === undefined
    others.hidden = under_way.length < 2
    lost.hidden = live
    if (detail === undefined) return stage.clear()
    fill(others, ...under_way.map((item) => otherOf(item, detail)))
    fill(head, ...headOf(detail))
    controls.show(detail)
    captured.show(detail)
    timeline.show(detail)
    void stage.show(detail.session.device_serial)
  })
  return () => {
    stop()
    captured.dispose()
    stage.clear()
  }
}

/** @param {LearnSessionDetail} detail */
function headOf({ session, pending_ui_state }) {
  const { entry_mode, state, created_at, device_serial } = session
  return [
    make('h2', {}, entryModes[entry_mode]),
    make(
      'p',
      { className: 'badges' },
      badge(plain(state), toneOf(state)),
      pending_ui_state !== undefined &&
        plain(pending_ui_state) !== plain(state) &&
        badge(plain(pending_ui_state), toneOf(pending_ui_state)),
      device_serial !== undefined && badge(device_serial),
      make('small', {}, `created ${dateTime(created_at)}`),
    ),
  ]
}

/**
 * @param {import('@apprentice/contracts/learn/runtime.ts').LearnHistoryItem} item
 * @param {LearnSessionDetail} detail
 */
function otherOf({ learn_session_id, title, entry_mode, state }, { session }) {
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
      `${title ?? entryModes[entry_mode]} `,
      badge(plain(state), toneOf(state)),
    ),
  )
}

/** The phone the session is bound to, beside it. */
function createStage() {
  const node = make('div', { className: 'stage' })
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
    // Another session, or none, may have been chosen meanwhile.
    if (open?.serial !== serial || device === undefined) return
    const phone = createPhone(device)
    open = { serial, dispose: phone.dispose }
    fill(node, phone.node)
  }
  return { node, clear, show }
}
