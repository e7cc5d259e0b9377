import { setTimeout as sleep } from 'node:timers/promises'
import {
  deleteObservation,
  listObservations,
  type ObservedActionEvent,
} from '@apprentice/contracts/learn/observation.ts'
import type { TeachDialog } from './teach-dialog.ts'

const POLL_MS = 300
const PAGE_SIZE = 100

/** The captured actions of the session. Each is printed once, when it appears. */
export class CapturedActions {
  readonly #dialog: TeachDialog
  readonly #printed = new Set<string>()
  #last: ObservedActionEvent | undefined
  #total = 0
  #refreshing: Promise<void> = Promise.resolve()

  constructor(dialog: TeachDialog) {
    this.#dialog = dialog
  }

  get count(): number {
    return this.#total
  }

  async poll(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      await this.refresh()
      await sleep(POLL_MS, undefined, { signal: until }).catch(() => undefined)
    }
  }

  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing.then(() => this.#read())
    return this.#refreshing
  }

  /** Deletes the last action and returns its label. */
  async undo(): Promise<string | undefined> {
    await this.refresh()
    const { call, sessionId } = this.#dialog
    const last = this.#last
    if (last === undefined) return undefined
    await call(deleteObservation, { params: { sessionId, eventId: last.event_id } })
    await this.refresh()
    return last.action_label
  }

  /** Starts at the last page that was read: earlier pages do not grow. */
  async #read(): Promise<void> {
    const { call, params } = this.#dialog
    for (let page = Math.max(1, Math.ceil(this.#total / PAGE_SIZE)); ; page += 1) {
      const query = { page, page_size: PAGE_SIZE }
      const { events, total } = await call(listObservations, { params, query })
      this.#total = total
      this.#last = events.at(-1)
      for (const [at, event] of events.entries()) this.#print(event, (page - 1) * PAGE_SIZE + at + 1)
      if (page * PAGE_SIZE >= total) return
    }
  }

  #print(event: ObservedActionEvent, number: number): void {
    if (this.#printed.has(event.event_id)) return
    this.#printed.add(event.event_id)
    const note = event.caused_state_change ? '' : '  (nothing changed)'
    this.#dialog.print(`  ${number}. ${event.action_label}${note}`)
  }
}
