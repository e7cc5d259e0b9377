import { get } from '../api.js'
import { badge, fill, make } from '../element.js'
import { attempt } from '../notices.js'
import { dateTime, plain, toneOf } from '../words.js'

/** @typedef {import('../../../contracts/learn/proposal.ts').SkillBundleProposal} Proposal */
/** @typedef {import('../../../contracts/learn/proposal.ts').SemanticWorkflowInterpretation} Interpretation */
/** @typedef {import('../../../contracts/learn/proposal.ts').AskedQuestion} AskedQuestion */

const settled = new Set(['approved', 'rejected', 'cancelled', 'quarantined'])

/** @param {HTMLElement} place */
export function showPending(place) {
  const list = make('div', { className: 'rows' })
  place.append(list)
  void attempt(async () => {
    /** @type {{ proposals: Proposal[] }} */
    const { proposals } = await get('/api/learn/proposals?page_size=100')
    const pending = proposals.filter(({ proposal_state }) => !settled.has(proposal_state))
    fill(list, ...pending.map(rowOf))
    if (pending.length === 0) {
      fill(list, make('p', { className: 'empty' }, 'Nothing waits for a decision.'))
    }
  })
  return () => {}
}

/** @param {Proposal} proposal */
function rowOf(proposal) {
  const { proposal_id, title, proposal_state, updated_at } = proposal
  const body = make('div')
  const row = make(
    'details',
    {
      className: 'panel',
      ontoggle: () => {
        if (!row.open || body.hasChildNodes()) return
        void attempt(async () => {
          fill(body, ...partsOf(proposal, await get(`/api/learn/proposals/${proposal_id}/detail`)))
        })
      },
    },
    make(
      'summary',
      {},
      make('strong', {}, title),
      badge(plain(proposal_state), toneOf(proposal_state)),
      make('small', {}, dateTime(updated_at)),
    ),
    body,
  )
  return row
}

/**
 * @param {Proposal} proposal
 * @param {{ interpretation?: Interpretation, questions: AskedQuestion[] }} detail
 */
function partsOf({ trigger_phrases, negative_triggers }, { interpretation, questions }) {
  return [
    interpretation && make('p', {}, interpretation.goal_summary),
    listOf('Used when', [...trigger_phrases, ...(interpretation?.use_conditions ?? [])]),
    listOf('Not used when', [...negative_triggers, ...(interpretation?.non_use_conditions ?? [])]),
    listOf('Done when', interpretation?.success_conditions ?? []),
    listOf(
      'Questions',
      questions.map(({ question_text, answer_text }) => `${question_text} ${answer_text ?? ''}`),
    ),
  ]
}

/**
 * @param {string} title
 * @param {readonly string[]} items
 */
function listOf(title, items) {
  if (items.length === 0) return undefined
  return make(
    'div',
    {},
    make('h4', {}, title),
    make('ul', {}, ...items.map((item) => make('li', {}, item))),
  )
}
