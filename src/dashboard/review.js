import { get, post } from './api.js'
import { fill, make } from './element.js'
import { attempt } from './notices.js'
import { createParts } from './review-parts.js'

/** @typedef {import('@apprentice/contracts/learn/proposal-review.ts').ProposalDetail} ProposalDetail */
/** @typedef {import('@apprentice/contracts/learn/proposal-review.ts').ProposalAction} ProposalAction */

const POLL_MS = 700

/**
 * A draft to decide on. `onDecided` is called after it was installed, approved or rejected.
 *
 * @param {string} proposalId
 * @param {(detail: ProposalDetail) => void} onDecided
 */
export function createReview(proposalId, onDecided) {
  const url = `/api/learn/proposals/${proposalId}`
  const parts = make('div')
  /** @type {(route: string, body: object, then: () => Promise<unknown>) => Promise<unknown>} */
  const send = (route, body, then) =>
    attempt(async () => {
      try {
        await post(`${url}/${route}`, body)
      } finally {
        await then()
      }
    })
  const controls = createControls({
    test: (route) => send(route, { wait_ms: 0 }, () => reloadUntilTested()),
    stop: (runId) => send(`validation-runs/${runId}/cancel`, {}, () => load()),
    decide: (route, body) => send(route, body, async () => onDecided(await load())),
  })
  let isDisposed = false

  const load = async () => {
    /** @type {ProposalDetail} */
    const detail = await get(`${url}/detail`)
    fill(parts, ...createParts(detail))
    controls.show(detail)
    return detail
  }

  /** Reloads until no test is running. */
  const reloadUntilTested = async () => {
    for (;;) {
      const { latest_validation } = await load()
      const run = latest_validation?.validation_run
      if (isDisposed || run === undefined || run.completed_at !== undefined) return
      await new Promise((done) => setTimeout(done, POLL_MS))
    }
  }

  return {
    node: make('div', { className: 'review' }, parts, controls.node),
    load: () => attempt(reloadUntilTested),
    dispose: () => {
      isDisposed = true
    },
  }
}

/**
 * The actions that the daemon permits for the draft now.
 *
 * @param {{ test: (route: string) => Promise<unknown>, stop: (runId: string) => Promise<unknown>,
 *   decide: (route: string, body: object) => Promise<unknown> }} actions
 */
function createControls({ test, stop, decide }) {
  const node = make('div', { className: 'buttons' })
  const reason = make('input', { maxLength: 1000, 'aria-label': 'Reason', placeholder: 'Reason' })
  /** Disables all buttons until the work has ended. @param {() => Promise<unknown>} work */
  const once = (work) => () => {
    for (const button of node.querySelectorAll('button')) button.disabled = true
    void work()
  }
  /** @type {(label: string, work: () => Promise<unknown>, className?: string) => HTMLElement} */
  const button = (label, work, className = '') =>
    make('button', { type: 'button', className, onclick: once(work) }, label)
  return {
    node,
    /** @param {ProposalDetail} detail */
    show: ({ allowed_actions, draft_hash, latest_validation }) => {
      const may = (/** @type {ProposalAction} */ action) => allowed_actions.includes(action)
      const runId = latest_validation?.validation_run.validation_run_id ?? ''
      fill(
        node,
        may('validate') && button('Test', () => test('validate')),
        may('request_more_tests') && button('Request more tests', () => test('request-more-tests')),
        may('cancel_validation') && button('Cancel tests', () => stop(runId)),
        may('install') && button('Install privately', () => decide('install', { draft_hash }), 'primary'),
        may('approve') && button('Approve', () => decide('approve', { draft_hash })),
        may('reject') && reason,
        may('reject') && button('Reject', () => decide('reject', { reason: reason.value }), 'danger'),
      )
    },
  }
}
