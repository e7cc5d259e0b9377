import { follow, get, post } from './api.js'
import { eventKinds } from './event-kinds.js'

/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnSessionDetail} LearnSessionDetail */
/** @typedef {import('@apprentice/contracts/learn/runtime.ts').LearnHistoryItem} LearnHistoryItem */
/**
 * @typedef {object} Shown
 * @property {readonly LearnHistoryItem[]} under_way
 * @property {LearnSessionDetail} [detail]
 * @property {boolean} live whether changes come by themselves
 */

const calmPollMs = 15_000
const lostPollMs = 5000

/** The session the page is about: what the daemon last said of it, told to all who show it. */
class CurrentSession {
  /** @type {Shown} */
  shown = { under_way: [], live: false }
  /** @type {Set<(shown: Shown) => void>} */
  #listeners = new Set()
  /** @type {string | undefined} */
  #chosen
  /** @type {{ id: string, stop: () => void } | undefined} */
  #stream
  /** @type {number | undefined} */
  #timer
  /** @type {Promise<void> | undefined} */
  #reading
  #again = false

  /**
   * @param {(shown: Shown) => void} listener called now and at every change
   * @returns {() => void} ends it
   */
  watch(listener) {
    this.#listeners.add(listener)
    listener(this.shown)
    return () => this.#listeners.delete(listener)
  }

  /** @param {string} id */
  choose(id) {
    this.#chosen = id
    return this.refresh()
  }

  /**
   * @param {string} action as the daemon lists it
   * @param {object} [body]
   */
  async act(action, body) {
    const id = this.shown.detail?.session.learn_session_id
    if (id === undefined) return
    try {
      await post(`/api/learn/sessions/${id}/${action.replaceAll('_', '-')}`, body)
    } finally {
      await this.refresh()
    }
  }

  /** Reads it all again; what is asked for meanwhile is one more reading. */
  async refresh() {
    this.#again = true
    this.#reading ??= this.#readWhileAsked().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #readWhileAsked() {
    while (this.#again) {
      this.#again = false
      // What failed is read again by the timer; the header tells that the daemon does not answer.
      await this.#read().catch(() => undefined)
    }
    this.#arm()
  }

  async #read() {
    /** @type {{ items: LearnHistoryItem[] }} */
    const { items } = await get('/api/learn/history?page_size=50')
    const under_way = items.filter(({ outcome }) => outcome === 'in_progress')
    const id =
      under_way.find(({ learn_session_id }) => learn_session_id === this.#chosen)
        ?.learn_session_id ?? under_way[0]?.learn_session_id
    this.#listenTo(id)
    if (id === undefined) return this.#tell({ under_way, detail: undefined })
    this.#tell({ under_way, detail: await get(`/api/learn/sessions/${id}/detail`) })
  }

  /** @param {string | undefined} id */
  #listenTo(id) {
    if (this.#stream?.id === id) return
    this.#stream?.stop()
    this.#stream = undefined
    if (id === undefined) return
    const stop = follow(`/api/learn/sessions/${id}/events`, {
      events: eventKinds,
      onEvent: () => void this.refresh(),
      onUp: () => this.#tell({ live: true }),
      onDown: () => {
        this.#tell({ live: false })
        this.#arm()
      },
    })
    this.#stream = { id, stop }
  }

  #arm() {
    clearTimeout(this.#timer)
    const waitMs = this.#stream === undefined || this.shown.live ? calmPollMs : lostPollMs
    this.#timer = setTimeout(() => void this.refresh(), waitMs)
  }

  /** @param {Partial<{ [K in keyof Shown]: Shown[K] | undefined }>} change */
  #tell(change) {
    this.shown = /** @type {Shown} */ ({ ...this.shown, ...change })
    for (const listener of this.#listeners) listener(this.shown)
  }
}

export const currentSession = new CurrentSession()
