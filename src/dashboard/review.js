import { get, post } from './api.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'
import { partsOf } from './review-parts.js'

/** @typedef {import('@apprentice/contracts/learn/proposal-review.ts').ProposalDetail} ProposalDetail */
/** @typedef {import('@apprentice/contracts/learn/proposal-review.ts').ProposalAction} ProposalAction */

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
  /** @type {(route: string, body: object, then: () => Promise<unknown>) => Promise<unknown>} */
  const ask = (route, body, then) =>
    attempt(async () => {
      try {
        await post(`${url}/${route}`, body)
      } finally {
        await then()
      }
    })
  const controls = createControls({
    test: (route) => ask(route, { wait_ms: 0 }, () => follow()),
    stop: (runId) => ask(`validation-runs/${runId}/cancel`, {}, () => load()),
    decide: (route, body) => ask(route, body, async () => onDecided(await load())),
  })
  let gone = false

  const load = async () => {
    /** @type {ProposalDetail} */
    const detail = await get(`${url}/detail`)
    fill(parts, ...partsOf(detail))
    controls.show(detail)
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

  return {
    node: make('div', { className: 'review' }, parts, controls.node),
    load: () => attempt(follow),
    dispose: () => {
      gone = true
    },
  }
}

/**
 * What the daemon allows to be done with the draft now, and nothing else.
 *
 * @param {{ test: (route: string) => Promise<unknown>, stop: (runId: string) => Promise<unknown>,
 *   decide: (route: string, body: object) => Promise<unknown> }} hands
 */
function createControls({ test, stop, decide }) {
  const node = make('div', { className: 'buttons' })
  const reason = make('input', { maxLength: 1000, 'aria-label': 'Why not', placeholder: 'Why not' })
  /** While one is under way no other is begun. @param {() => Promise<unknown>} work */
  const once = (work) => () => {
    for (const button of node.querySelectorAll('button')) button.disabled = true
    void work()
  }
  /** @type {(words: string, work: () => Promise<unknown>, className?: string) => HTMLElement} */
  const button = (words, work, className = '') =>
    make('button', { type: 'button', className, onclick: once(work) }, words)
  return {
    node,
    /** @param {ProposalDetail} detail */
    show: ({ allowed_actions, draft_hash, latest_validation }) => {
      const may = (/** @type {ProposalAction} */ action) => allowed_actions.includes(action)
      const runId = latest_validation?.validation_run.validation_run_id ?? ''
      fill(
        node,
        may('validate') && button('Test it', () => test('validate')),
        may('request_more_tests') && button('Test it again', () => test('request-more-tests')),
        may('cancel_validation') && button('Stop the tests', () => stop(runId)),
        may('install') &&
          button('Install for me', () => decide('install', { draft_hash }), 'primary'),
        may('approve') && button('Approve for all', () => decide('approve', { draft_hash })),
        may('reject') && reason,
        may('reject') &&
          button('Reject', () => decide('reject', { reason: reason.value }), 'danger'),
      )
    },
  }
}
