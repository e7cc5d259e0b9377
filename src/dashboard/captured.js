import { get, remove } from './api.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'
import { clockTime, plain } from './words.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/learn/observation.ts').ObservedActionEvent} ObservedActionEvent */

const everyMs = 3000
const shown = 50
const captureStates = new Set(['capturing', 'paused', 'stopped', 'reviewing'])

/** What was captured, as it is stored, and the way to have any of it forgotten. */
export function createCaptured() {
  const title = make('h3')
  const list = make('ol')
  const node = make('section', { className: 'panel captured', hidden: true }, title, list)
  /** @type {LearnSessionDetail | undefined} */
  let detail
  const look = async () => {
    if (detail === undefined || node.hidden) return
    const path = `/api/learn/sessions/${detail.session.learn_session_id}/observations`
    /** @type {{ events: ObservedActionEvent[], total: number }} */
    const { events, total } = await get(`${path}?page_size=${shown}`)
    const may_delete = detail.session.proposal_id === undefined
    fill(title, `Captured actions (${total})`)
    const rows = events.map((event) =>
      rowOf(
        event,
        may_delete
          ? () => void attempt(() => remove(`${path}/${event.event_id}`).then(look))
          : undefined,
      ),
    )
    fill(list, ...rows)
  }
  // The header tells when the daemon does not answer.
  const quietly = () => void look().catch(() => undefined)
  const timer = setInterval(() => {
    if (detail?.session.state === 'capturing') quietly()
  }, everyMs)
  return {
    node,
    /** @param {LearnSessionDetail} next */
    show: (next) => {
      detail = next
      node.hidden = !captureStates.has(next.session.state)
      quietly()
    },
    dispose: () => clearInterval(timer),
  }
}

/**
 * @param {ObservedActionEvent} event
 * @param {(() => void) | undefined} forget
 */
function rowOf({ action_label, adapter_kind, created_at }, forget) {
  return make(
    'li',
    {},
    make('span', {}, action_label),
    make('small', {}, plain(adapter_kind)),
    make('time', { dateTime: created_at }, clockTime(created_at)),
    forget !== undefined &&
      make(
        'button',
        {
          type: 'button',
          className: 'quiet',
          onclick: forget,
          'aria-label': `Forget: ${action_label}`,
        },
        'Forget',
      ),
  )
}
