import { get } from '../api.js'
import { badge, fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { createReview } from '../review.js'
import { dateTime, plain, toneOf } from '../words.js'

/** @typedef {import('@apprentice/contracts/learn/proposal.ts').SkillBundleProposal} Proposal */

const settled = new Set(['approved', 'rejected', 'cancelled', 'quarantined'])

/** @param {HTMLElement} place */
export function showPending(place) {
  const list = make('div', { className: 'rows' })
  /** @type {(() => void)[]} */
  const open = []
  place.append(list)
  void attempt(async () => {
    /** @type {{ proposals: Proposal[] }} */
    const { proposals } = await get('/api/learn/proposals?page_size=100')
    const pending = proposals.filter(({ proposal_state }) => !settled.has(proposal_state))
    fill(list, ...pending.map((proposal) => rowOf(proposal, open)))
    if (pending.length === 0) {
      fill(list, make('p', { className: 'empty' }, 'Nothing waits for a decision.'))
    }
  })
  return () => {
    for (const dispose of open) dispose()
  }
}

/**
 * @param {Proposal} proposal
 * @param {(() => void)[]} open what is shown and has to be ended
 */
function rowOf({ proposal_id, title, proposal_state, updated_at }, open) {
  const state = make('span')
  const next = make('p', { hidden: true, role: 'status' })
  const tell = (/** @type {string} */ word) => fill(state, badge(plain(word), toneOf(word)))
  const review = createReview(proposal_id, ({ proposal }) => {
    tell(proposal.proposal_state)
    const isThere = ['installed_private', 'approved'].includes(proposal.proposal_state)
    next.hidden = !isThere
    fill(next, 'It can be used: see ', make('a', { href: '#/skills' }, 'Skills'), '.')
  })
  tell(proposal_state)
  open.push(review.dispose)
  let known = false
  const row = make(
    'details',
    {
      className: 'panel',
      ontoggle: () => {
        if (!row.open || known) return
        known = true
        void review.load()
      },
    },
    make('summary', {}, make('strong', {}, title), state, make('small', {}, dateTime(updated_at))),
    review.node,
    next,
  )
  return row
}
