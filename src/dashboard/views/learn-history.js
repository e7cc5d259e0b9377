import { get } from '../api.js'
import { badge, fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { dateTime, entryModes, plain, toneOf } from '../words.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnHistoryItem} LearnHistoryItem */

const pageSize = 20

/** @param {HTMLElement} place */
export function showHistory(place) {
  const list = make('ul', { className: 'rows history' })
  const where = make('span')
  const older = make('button', { type: 'button', onclick: () => turn(1) }, 'Older')
  const newer = make('button', { type: 'button', onclick: () => turn(-1) }, 'Newer')
  const pager = make('div', { className: 'pager' }, newer, where, older)
  let page = 1
  const turn = (/** @type {number} */ by) =>
    attempt(async () => {
      page += by
      /** @type {{ items: LearnHistoryItem[], total: number }} */
      const { items, total } = await get(`/api/learn/history?page=${page}&page_size=${pageSize}`)
      fill(list, ...items.map(rowOf))
      if (total === 0) fill(list, make('li', { className: 'empty' }, 'No session yet.'))
      const pages = Math.max(1, Math.ceil(total / pageSize))
      pager.hidden = pages === 1
      newer.disabled = page === 1
      older.disabled = page >= pages
      fill(where, `Page ${page} of ${pages}`)
    })
  place.append(list, pager)
  void turn(0)
  return () => {}
}

/** @param {LearnHistoryItem} item */
function rowOf({ title, entry_mode, state, outcome, created_at, completed_at }) {
  return make(
    'li',
    { className: 'panel' },
    make('strong', {}, title ?? entryModes[entry_mode]),
    outcome !== undefined && badge(plain(outcome), toneOf(outcome)),
    outcome !== state && badge(plain(state), toneOf(state)),
    make(
      'small',
      {},
      `${dateTime(created_at)}${completed_at === undefined ? '' : ` – ${dateTime(completed_at)}`}`,
    ),
  )
}
