import { get } from './api.js'
import { badge, fill, make } from './element.js'
import { clockTime, plain, toneOf } from './words.js'

/** @typedef {import('@apprentice/contracts/devices/executions.ts').ExecutionRecord} ExecutionRecord */

const shown = 12

/** What was done to a phone lately, as the daemon recorded it. */
export function createExecutions() {
  const list = make('ol')
  const node = make(
    'section',
    { className: 'panel happenings', hidden: true },
    make('h3', {}, 'Done lately'),
    list,
  )
  return {
    node,
    /** @param {string} serial */
    show: async (serial) => {
      const query = new URLSearchParams({ serial, page_size: String(shown) })
      /** @type {{ executions: ExecutionRecord[] }} */
      const { executions } = await get(`/api/executions?${query}`)
      node.hidden = executions.length === 0
      fill(list, ...executions.map(rowOf))
    },
  }
}

/** @param {ExecutionRecord} record */
function rowOf(record) {
  const { execution, source, state, queued_at } = record
  const types = new Set(execution.actions.map(({ type }) => plain(type)))
  return make(
    'li',
    {},
    make('span', {}, [...types].join(', ')),
    make('small', {}, plain(source)),
    badge(plain(state), toneOf(state)),
    make('time', { dateTime: queued_at }, clockTime(queued_at)),
    state === 'failed' && make('small', { className: 'why' }, reasonOf(record.envelope)),
  )
}

/**
 * Why an execution failed, in its own words.
 *
 * @param {ExecutionRecord['envelope']} envelope
 */
export function reasonOf(envelope) {
  const failed = envelope?.stepResults.find((step) => !step.success)
  return failed?.data['message'] ?? envelope?.error ?? ''
}
