import { followEvents, get, post } from './api.js'
import { eventKinds } from './event-kinds.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnHistoryItem} LearnHistoryItem */
/**
 * @typedef {object} SessionState
 * @property {readonly LearnHistoryItem[]} active
 * @property {LearnSessionDetail} [detail]
 * @property {boolean} live true while the event stream is connected
 */

const CONNECTED_POLL_MS = 15_000
const DISCONNECTED_POLL_MS = 5000

/** The session the page is about, as the daemon last reported it. */
class CurrentSession {
  /** @type {SessionState} */
  state = { active: [], live: false }
  /** @type {Set<(state: SessionState) => void>} */
  #listeners = new Set()
  /** @type {string | undefined} */
  #chosen
  /** @type {{ id: string, stop: () => void } | undefined} */
  #stream
  /** @type {number | undefined} */
  #timer
  /** @type {Promise<void> | undefined} */
  #reading
  #isStale = false

  /**
   * @param {(state: SessionState) => void} listener called at once and after every change
   * @returns {() => void} removes the listener
   */
  watch(listener) {
    this.#listeners.add(listener)
    listener(this.state)
    return () => this.#listeners.delete(listener)
  }

  /** @param {string} id */
  choose(id) {
    this.#chosen = id
    return this.refresh()
  }

  /**
   * @param {string} action one of `allowed_actions`
   * @param {object} [body]
   */
  async runAction(action, body) {
    const id = this.state.detail?.session.learn_session_id
    if (id === undefined) return
    try {
      await post(`/api/learn/sessions/${id}/${action.replaceAll('_', '-')}`, body)
    } finally {
      await this.refresh()
    }
  }

  /** Reads the session again. Calls during a read cause one more read after it. */
  async refresh() {
    this.#isStale = true
    this.#reading ??= this.#readUntilCurrent().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #readUntilCurrent() {
    while (this.#isStale) {
      this.#isStale = false
      // A failed read is repeated by the timer; the header shows that the daemon does not answer.
      await this.#read().catch(() => undefined)
    }
    this.#schedule()
  }

  async #read() {
    /** @type {{ items: LearnHistoryItem[] }} */
    const { items } = await get('/api/learn/history?page_size=50')
    const active = items.filter(({ outcome }) => outcome === 'in_progress')
    const id =
      active.find(({ learn_session_id }) => learn_session_id === this.#chosen)?.learn_session_id ??
      active[0]?.learn_session_id
    this.#followSession(id)
    if (id === undefined) return this.#update({ active, detail: undefined })
    this.#update({ active, detail: await get(`/api/learn/sessions/${id}/detail`) })
  }

  /** @param {string | undefined} id */
  #followSession(id) {
    if (this.#stream?.id === id) return
    this.#stream?.stop()
    this.#stream = undefined
    if (id === undefined) return
    const stop = followEvents(`/api/learn/sessions/${id}/events`, {
      events: eventKinds,
      onEvent: () => void this.refresh(),
      onUp: () => this.#update({ live: true }),
      onDown: () => {
        this.#update({ live: false })
        this.#schedule()
      },
    })
    this.#stream = { id, stop }
  }

  #schedule() {
    clearTimeout(this.#timer)
    const waitMs = this.#stream === undefined || this.state.live ? CONNECTED_POLL_MS : DISCONNECTED_POLL_MS
    this.#timer = setTimeout(() => void this.refresh(), waitMs)
  }

  /** @param {Partial<{ [K in keyof SessionState]: SessionState[K] | undefined }>} change */
  #update(change) {
    this.state = /** @type {SessionState} */ ({ ...this.state, ...change })
    for (const listener of this.#listeners) listener(this.state)
  }
}

export const currentSession = new CurrentSession()
