import { get, post } from './api.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'
import { partsOf } from './review-parts.js'

/** @typedef {import('../../contracts/learn/proposal-review.ts').ProposalDetail} ProposalDetail */

const pollMs = 700

/**
 * A draft to decide on. `onDecided` is told when it was installed, approved or rejected.
 *
 * @param {string} proposalId
 * @param {(detail: ProposalDetail) => void} onDecided
 */
export function createReview(proposalId, onDecided) {
  const url = `/api/learn/proposals/${proposalId}`
  const parts = make('div')
  const reason = make('input', { maxLength: 1000, 'aria-label': 'Why not', placeholder: 'Why not' })
  const buttons = make('div', { className: 'buttons' })
  const node = make('div', { className: 'review' }, parts, buttons)
  let gone = false

  const load = async () => {
    /** @type {ProposalDetail} */
    const detail = await get(`${url}/detail`)
    fill(parts, ...partsOf(detail))
    fill(buttons, ...controlsFor(detail))
    return detail
  }

  /** Asks until no test is under way any more. */
  const follow = async () => {
    for (;;) {
      const { latest_validation } = await load()
      const run = latest_validation?.validation_run
      if (gone || run === undefined || run.completed_at !== undefined) return
      await new Promise((done) => setTimeout(done, pollMs))
    }
  }

  /** @param {() => Promise<unknown>} work */
  const decide = (work) =>
    attempt(async () => {
      for (const control of buttons.querySelectorAll('button')) control.disabled = true
      try {
        await work()
      } finally {
        onDecided(await load())
      }
    })

  const test = (/** @type {string} */ route) =>
    attempt(async () => {
      await post(`${url}/${route}`, { wait_ms: 0 })
      await follow()
    })

  /** @param {ProposalDetail} detail */
  const controlsFor = ({ allowed_actions, draft_hash, latest_validation }) => {
    const may = (/** @type {string} */ action) =>
      allowed_actions.some((allowed) => allowed === action)
    const runId = latest_validation?.validation_run.validation_run_id
    /** @type {(words: string, onclick: () => void, className?: string) => HTMLElement} */
    const button = (words, onclick, className = '') =>
      make('button', { type: 'button', className, onclick }, words)
    return [
      may('validate') && button('Test it', () => void test('validate')),
      may('request_more_tests') && button('Test it again', () => void test('request-more-tests')),
      may('cancel_validation') &&
        button(
          'Stop the tests',
          () =>
            void attempt(async () => {
              await post(`${url}/validation-runs/${runId}/cancel`)
              await load()
            }),
        ),
      may('install') &&
        button(
          'Install for me',
          () => void decide(() => post(`${url}/install`, { draft_hash })),
          'primary',
        ),
      may('approve') &&
        button('Approve for all', () => void decide(() => post(`${url}/approve`, { draft_hash }))),
      may('reject') && reason,
      may('reject') &&
        button(
          'Reject',
          () => void decide(() => post(`${url}/reject`, { reason: reason.value })),
          'danger',
        ),
    ]
  }

  return {
    node,
    load: () => attempt(follow),
    dispose: () => {
      gone = true
    },
  }
}
