import { setTimeout as sleep } from 'node:timers/promises'
import {
  deleteObservation,
  listObservations,
  type ObservedActionEvent,
} from '@apprentice/contracts/learn/observation.ts'
import type { Lesson } from './lesson.ts'

const everyMs = 300
const pageSize = 100

/** What was seen so far, told as it comes. */
export class CapturedActions {
  readonly #lesson: Lesson
  readonly #told = new Set<string>()
  #last: ObservedActionEvent | undefined
  #total = 0
  #looking: Promise<void> = Promise.resolve()

  constructor(lesson: Lesson) {
    this.#lesson = lesson
  }

  get count(): number {
    return this.#total
  }

  /** Looks again and again until it is told not to. */
  async watch(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      await this.look()
      await sleep(everyMs, undefined, { signal: until }).catch(() => undefined)
    }
  }

  look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#read())
    return this.#looking
  }

  /** Forgets the action seen last; returns what it was. */
  async undo(): Promise<string | undefined> {
    await this.look()
    const { call, sessionId } = this.#lesson
    const last = this.#last
    if (last === undefined) return undefined
    await call(deleteObservation, { params: { sessionId, eventId: last.event_id } })
    await this.look()
    return last.action_label
  }

  /** From the last page on: pages before it do not grow. */
  async #read(): Promise<void> {
    const { call, params } = this.#lesson
    for (let page = Math.max(1, Math.ceil(this.#total / pageSize)); ; page += 1) {
      const query = { page, page_size: pageSize }
      const { events, total } = await call(listObservations, { params, query })
      this.#total = total
      this.#last = events.at(-1)
      for (const [at, event] of events.entries()) this.#tell(event, (page - 1) * pageSize + at + 1)
      if (page * pageSize >= total) return
    }
  }

  #tell(event: ObservedActionEvent, number: number): void {
    if (this.#told.has(event.event_id)) return
    this.#told.add(event.event_id)
    const note = event.caused_state_change ? '' : '  (nothing changed)'
    this.#lesson.say(`  ${number}. ${event.action_label}${note}`)
  }
}
