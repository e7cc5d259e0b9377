import { get } from './api.js'
import { badge, fill, make } from './element.js'
import { formatTime, formatName, chooseTone } from './format.js'

/** @typedef {import('@apprentice/contracts/devices/executions.ts').ExecutionRecord} ExecutionRecord */

const PAGE_SIZE = 12

/** The latest executions on a phone. */
export function createExecutions() {
  const list = make('ol')
  const node = make(
    'section',
    { className: 'panel executions', hidden: true },
    make('h3', {}, 'Recent executions'),
    list,
  )
  return {
    node,
    /** @param {string} serial */
    show: async (serial) => {
      const query = new URLSearchParams({ serial, page_size: String(PAGE_SIZE) })
      /** @type {{ executions: ExecutionRecord[] }} */
      const { executions } = await get(`/api/executions?${query}`)
      node.hidden = executions.length === 0
      fill(list, ...executions.map(createRow))
    },
  }
}

/** @param {ExecutionRecord} record */
function createRow(record) {
  const { execution, source, state, queued_at } = record
  const types = new Set(execution.actions.map(({ type }) => formatName(type)))
  return make(
    'li',
    {},
    make('span', {}, [...types].join(', ')),
    make('small', {}, formatName(source)),
    badge(formatName(state), chooseTone(state)),
    make('time', { dateTime: queued_at }, formatTime(queued_at)),
    state === 'failed' && make('small', { className: 'why' }, readFailure(record.envelope)),
  )
}

/**
 * The message of a failed execution.
 *
 * @param {ExecutionRecord['envelope']} envelope
 */
export function readFailure(envelope) {
  const failed = envelope?.stepResults.find((step) => !step.success)
  return failed?.data['message'] ?? envelope?.error ?? ''
}
