import { get } from '../api.js'
import { badge, fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { createReview } from '../review.js'
import { formatDateTime, formatName, chooseTone } from '../format.js'

/** @typedef {import('@apprentice/contracts/learn/proposal.ts').SkillBundleProposal} Proposal */

const SETTLED_STATES = new Set(['approved', 'rejected', 'cancelled', 'quarantined'])

/** @param {HTMLElement} place */
export function showPending(place) {
  const list = make('div', { className: 'rows' })
  /** @type {(() => void)[]} */
  const open = []
  place.append(list)
  void attempt(async () => {
    /** @type {{ proposals: Proposal[] }} */
    const { proposals } = await get('/api/learn/proposals?page_size=100')
    const pending = proposals.filter(({ proposal_state }) => !SETTLED_STATES.has(proposal_state))
    fill(list, ...pending.map((proposal) => createRow(proposal, open)))
    if (pending.length === 0) {
      fill(list, make('p', { className: 'empty' }, 'No pending abilities.'))
    }
  })
  return () => {
    for (const dispose of open) dispose()
  }
}

/**
 * @param {Proposal} proposal
 * @param {(() => void)[]} open functions that dispose of the open reviews
 */
function createRow({ proposal_id, title, proposal_state, updated_at }, open) {
  const state = make('span')
  const next = make('p', { hidden: true, role: 'status' })
  const showState = (/** @type {string} */ name) => fill(state, badge(formatName(name), chooseTone(name)))
  const review = createReview(proposal_id, ({ proposal }) => {
    showState(proposal.proposal_state)
    const isInstalled = ['installed_private', 'approved'].includes(proposal.proposal_state)
    next.hidden = !isInstalled
    fill(next, 'The ability is installed. See ', make('a', { href: '#/skills' }, 'Skills'), '.')
  })
  showState(proposal_state)
  open.push(review.dispose)
  let isLoaded = false
  const row = make(
    'details',
    {
      className: 'panel',
      ontoggle: () => {
        if (!row.open || isLoaded) return
        isLoaded = true
        void review.load()
      },
    },
    make('summary', {}, make('strong', {}, title), state, make('small', {}, formatDateTime(updated_at))),
    review.node,
    next,
  )
  return row
}
