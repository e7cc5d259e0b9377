import { setTimeout as sleep } from 'node:timers/promises'
import { streamSessionEvents } from '@apprentice/contracts/learn/sessions.ts'
import { fillPath } from '@apprentice/contracts/client.ts'
import { openStream, type Stream } from '../live/sse-client.ts'
import type { Teacher } from './teacher.ts'

/** Follows the session of a user over SSE. After a lost connection it continues after the last received id. */
export class Follower {
  readonly #teacher: Teacher
  readonly #faults: string[]
  /** The received event kinds of each session, in order. The first has the id 1. */
  readonly received = new Map<string, string[]>()
  /** The followed session, and whether its stream has ended. */
  current: { readonly id: string; ended: boolean } | undefined
  #open: Stream | undefined
  #readCount = 0

  constructor(teacher: Teacher, faults: string[]) {
    this.#teacher = teacher
    this.#faults = faults
  }

  /** Follows until `isStopped`. When the daemon dies it returns; the next call continues with the next daemon. */
  async follow(url: string, isStopped: () => boolean): Promise<void> {
    while (!isStopped()) {
      const id = this.#choose()
      if (id === undefined) {
        await sleep(5)
        continue
      }
      try {
        if (!(await this.#read(url, id, isStopped))) return
      } catch {
        return
      }
    }
  }

  /** Processes the frames received so far. */
  readFrames(): void {
    const { current } = this
    if (this.#open === undefined || current === undefined) return
    const received = this.received.get(current.id) ?? []
    this.received.set(current.id, received)
    for (; this.#readCount < this.#open.frames.length; this.#readCount += 1) {
      const frame = this.#open.frames[this.#readCount]
      if (frame?.id === undefined) continue
      if (frame.id !== String(received.length + 1)) {
        this.#faults.push(`the stream of ${current.id} gave id ${frame.id} after ${received.length}`)
      }
      received.push(String(frame.event))
    }
  }

  close(): void {
    this.#open?.close()
  }

  /** Changes to another session only when the current one has ended. */
  #choose(): string | undefined {
    const next = this.#teacher.session
    if (this.current !== undefined && !this.current.ended) return this.current.id
    if (next === undefined || next === this.current?.id) return undefined
    this.current = { id: next, ended: false }
    return next
  }

  /** Returns false if the connection was lost. */
  async #read(url: string, id: string, isStopped: () => boolean): Promise<boolean> {
    const seen = this.received.get(id)?.length ?? 0
    const stream = await openStream(url + fillPath(streamSessionEvents.url, { sessionId: id }), {
      token: this.#teacher.token,
      headers: seen === 0 ? {} : { 'last-event-id': String(seen) },
    })
    // 204: there are no more events. 404: the session was deleted.
    if (stream.status !== 200) {
      if (stream.status !== 204 && stream.status !== 404) {
        this.#faults.push(`the stream of ${id} answered ${stream.status}`)
      }
      this.current = { id, ended: true }
      return true
    }
    this.#open = stream
    this.#readCount = 0
    // A stop before the stream was open has not closed it.
    if (isStopped()) stream.close()
    await stream.ended
    this.readFrames()
    this.#open = undefined
    return true
  }
}
