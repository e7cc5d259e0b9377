import { get, remove } from './api.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'
import { formatTime, formatName } from './format.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/learn/observation.ts').ObservedActionEvent} ObservedActionEvent */

const POLL_MS = 3000
const PAGE_SIZE = 50
const CAPTURE_STATES = new Set(['capturing', 'paused', 'stopped', 'reviewing'])

/** The captured actions as they are stored, each with a button that deletes it. */
export function createCaptured() {
  const title = make('h3')
  const list = make('ol')
  const node = make('section', { className: 'panel captured', hidden: true }, title, list)
  /** @type {LearnSessionDetail | undefined} */
  let detail
  const refresh = async () => {
    if (detail === undefined || node.hidden) return
    const path = `/api/learn/sessions/${detail.session.learn_session_id}/observations`
    /** @type {{ events: ObservedActionEvent[], total: number }} */
    const { events, total } = await get(`${path}?page_size=${PAGE_SIZE}`)
    const canDelete = detail.session.proposal_id === undefined
    fill(title, `Captured actions (${total})`)
    const rows = events.map((event) =>
      createRow(
        event,
        canDelete ? () => void attempt(() => remove(`${path}/${event.event_id}`).then(refresh)) : undefined,
      ),
    )
    fill(list, ...rows)
  }
  // The header shows when the daemon does not answer.
  const refreshQuietly = () => void refresh().catch(() => undefined)
  const timer = setInterval(() => {
    if (detail?.session.state === 'capturing') refreshQuietly()
  }, POLL_MS)
  return {
    node,
    /** @param {LearnSessionDetail} next */
    show: (next) => {
      detail = next
      node.hidden = !CAPTURE_STATES.has(next.session.state)
      refreshQuietly()
    },
    dispose: () => clearInterval(timer),
  }
}

/**
 * @param {ObservedActionEvent} event
 * @param {(() => void) | undefined} deleteAction
 */
function createRow({ action_label, adapter_kind, created_at }, deleteAction) {
  return make(
    'li',
    {},
    make('span', {}, action_label),
    make('small', {}, formatName(adapter_kind)),
    make('time', { dateTime: created_at }, formatTime(created_at)),
    deleteAction !== undefined &&
      make(
        'button',
        {
          type: 'button',
          className: 'quiet',
          onclick: deleteAction,
          'aria-label': `Delete: ${action_label}`,
        },
        'Delete',
      ),
  )
}
