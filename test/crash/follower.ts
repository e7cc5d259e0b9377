import { setTimeout as sleep } from 'node:timers/promises'
import { streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import { fillPath } from '@apprentice/contracts/client.ts'
import { openStream, type Stream } from '../live/sse-client.ts'
import type { Teacher } from './teacher.ts'

/** Reads a user's session over SSE, and after every break goes on behind the last id it saw. */
export class Follower {
  readonly #teacher: Teacher
  readonly #faults: string[]
  /** The kinds told of each session, in order: the first is the event with id 1. */
  readonly told = new Map<string, string[]>()
  /** The session it is at, and whether the daemon said that nothing more will come. */
  current: { readonly id: string; over: boolean } | undefined
  #open: Stream | undefined
  #taken = 0

  constructor(teacher: Teacher, faults: string[]) {
    this.#teacher = teacher
    this.#faults = faults
  }

  /** Follows until told to stop. The daemon may die under it: the next call goes on with the next one. */
  async follow(url: string, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const id = this.#choose()
      if (id === undefined) {
        await sleep(5)
        continue
      }
      try {
        if (!(await this.#read(url, id, stopped))) return
      } catch {
        return
      }
    }
  }

  /** Takes note of what has come so far. */
  take(): void {
    const { current } = this
    if (this.#open === undefined || current === undefined) return
    const told = this.told.get(current.id) ?? []
    this.told.set(current.id, told)
    for (; this.#taken < this.#open.frames.length; this.#taken += 1) {
      const frame = this.#open.frames[this.#taken]
      if (frame?.id === undefined) continue
      if (frame.id !== String(told.length + 1)) {
        this.#faults.push(`the stream of ${current.id} gave id ${frame.id} after ${told.length}`)
      }
      told.push(String(frame.event))
    }
  }

  close(): void {
    this.#open?.close()
  }

  /** A session is left only when it is over. */
  #choose(): string | undefined {
    const next = this.#teacher.session
    if (this.current !== undefined && !this.current.over) return this.current.id
    if (next === undefined || next === this.current?.id) return undefined
    this.current = { id: next, over: false }
    return next
  }

  /** False when the connection broke. */
  async #read(url: string, id: string, stopped: () => boolean): Promise<boolean> {
    const seen = this.told.get(id)?.length ?? 0
    const stream = await openStream(url + fillPath(streamSessionEvents.url, { sessionId: id }), {
      token: this.#teacher.token,
      headers: seen === 0 ? {} : { 'last-event-id': String(seen) },
    })
    // No content: all was told. Not found: it was deleted.
    if (stream.status !== 200) {
      if (stream.status !== 204 && stream.status !== 404) {
        this.#faults.push(`the stream of ${id} answered ${stream.status}`)
      }
      this.current = { id, over: true }
      return true
    }
    this.#open = stream
    this.#taken = 0
    // Who stopped it before the stream was there has closed nothing.
    if (stopped()) stream.close()
    await stream.ended
    this.take()
    this.#open = undefined
    return true
  }
}
