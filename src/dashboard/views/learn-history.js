import { get } from '../api.js'
import { badge, fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { formatDateTime, ENTRY_MODES, formatName, chooseTone } from '../format.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnHistoryItem} LearnHistoryItem */

const PAGE_SIZE = 20

/** @param {HTMLElement} place */
export function showHistory(place) {
  const list = make('ul', { className: 'rows history' })
  const position = make('span')
  const older = make('button', { type: 'button', onclick: () => turnPage(1) }, 'Older')
  const newer = make('button', { type: 'button', onclick: () => turnPage(-1) }, 'Newer')
  const pager = make('div', { className: 'pager' }, newer, position, older)
  let page = 1
  const turnPage = (/** @type {number} */ by) =>
    attempt(async () => {
      page += by
      /** @type {{ items: LearnHistoryItem[], total: number }} */
      const { items, total } = await get(`/api/learn/history?page=${page}&page_size=${PAGE_SIZE}`)
      fill(list, ...items.map(createRow))
      if (total === 0) fill(list, make('li', { className: 'empty' }, 'No sessions yet.'))
      const pages = Math.max(1, Math.ceil(total / PAGE_SIZE))
      pager.hidden = pages === 1
      newer.disabled = page === 1
      older.disabled = page >= pages
      fill(position, `Page ${page} of ${pages}`)
    })
  place.append(list, pager)
  void turnPage(0)
  return () => {}
}

/** @param {LearnHistoryItem} item */
function createRow({ title, entry_mode, state, outcome, created_at, completed_at }) {
  return make(
    'li',
    { className: 'panel' },
    make('strong', {}, title ?? ENTRY_MODES[entry_mode]),
    outcome !== undefined && badge(formatName(outcome), chooseTone(outcome)),
    outcome !== state && badge(formatName(state), chooseTone(state)),
    make(
      'small',
      {},
      `${formatDateTime(created_at)}${completed_at === undefined ? '' : ` – ${formatDateTime(completed_at)}`}`,
    ),
  )
}
