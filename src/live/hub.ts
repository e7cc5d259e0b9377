import { setImmediate as nextTurn } from 'node:timers/promises'
import type {} from '@fastify/sse'
import type { FastifyReply } from 'fastify'
import type { Store } from '../store/db/db.ts'
import { getLastEventSeq, listEventsSince, type StoredEvent } from '../store/command/events.ts'
import { ALL_SUBJECTS, type StreamSource } from './source.ts'

const PAGE_SIZE = 500

interface Subscriber {
  readonly reply: FastifyReply
  readonly source: StreamSource
  readonly principal: string
  open: boolean
}

export interface HubLimits {
  /** A subscriber with more unsent bytes than this is disconnected. It reconnects with its last id. */
  readonly stream_buffer_bytes: number
  readonly stream_keepalive_ms: number
}

/** Sends committed events to open streams. It never writes to the store. */
export class Hub {
  readonly #store: Store
  readonly #limits: HubLimits
  readonly #bySubject = new Map<string, Set<Subscriber>>()
  readonly #perPrincipal = new Map<string, number>()
  readonly #keepalive: NodeJS.Timeout
  readonly #stopListening: () => void
  #cursor: number

  constructor(store: Store, limits: HubLimits) {
    this.#store = store
    this.#limits = limits
    this.#cursor = store.read(getLastEventSeq)
    this.#stopListening = store.onCommit(() => this.#publish())
    const keepalive = Buffer.from(':keepalive\n\n')
    this.#keepalive = setInterval(
      () => this.#forEach(({ reply }) => reply.raw.write(keepalive)),
      limits.stream_keepalive_ms,
    )
    this.#keepalive.unref()
  }

  get subscribers(): number {
    let count = 0
    this.#forEach(() => {
      count += 1
    })
    return count
  }

  /** The number of open streams of a user, including those still replaying. */
  countStreams(principal: string): number {
    return this.#perPrincipal.get(principal) ?? 0
  }

  /**
   * Replays the events after `afterSeq` page by page, as fast as the client reads, then sends new ones. The subscriber
   * is added in the same event-loop turn in which a page is empty, so no event is lost.
   */
  async serve(
    reply: FastifyReply,
    { source, afterSeq, principal }: { source: StreamSource; afterSeq: number; principal: string },
  ): Promise<void> {
    // The client has left, or its token was revoked, before the stream began. No close would be reported.
    if (reply.raw.destroyed) return
    const subscriber: Subscriber = { reply, source, principal, open: true }
    this.#perPrincipal.set(principal, this.countStreams(principal) + 1)
    reply.sse.keepAlive()
    reply.sse.onClose(() => this.#remove(subscriber))
    reply.sse.sendHeaders()
    reply.raw.write('retry: 3000\n\n')
    let cursor = afterSeq
    while (subscriber.open) {
      const { events, lastId, isLast } = this.#store.read((reader) => source.readPage(reader, cursor))
      if (isLast) {
        this.#add(subscriber)
        return
      }
      for (const event of events) reply.raw.write(source.format(event))
      cursor = lastId
      await waitForDrain(reply)
    }
  }

  close(): void {
    this.#stopListening()
    clearInterval(this.#keepalive)
    this.#forEach(({ reply }) => reply.sse.close())
    this.#bySubject.clear()
  }

  #add(subscriber: Subscriber): void {
    const { source, reply } = subscriber
    if (this.#store.read(source.isOver)) {
      reply.sse.close()
      return
    }
    const subscribers = this.#bySubject.get(source.subject) ?? new Set()
    this.#bySubject.set(source.subject, subscribers.add(subscriber))
  }

  #remove(subscriber: Subscriber): void {
    if (!subscriber.open) return
    subscriber.open = false
    const { principal, source } = subscriber
    const open = this.countStreams(principal) - 1
    if (open > 0) this.#perPrincipal.set(principal, open)
    else this.#perPrincipal.delete(principal)
    const { subject } = source
    const subscribers = this.#bySubject.get(subject)
    subscribers?.delete(subscriber)
    if (subscribers?.size === 0) this.#bySubject.delete(subject)
  }

  #publish(): void {
    if (this.#bySubject.size === 0) {
      this.#cursor = this.#store.read(getLastEventSeq)
      return
    }
    const touched = new Set<string>()
    for (;;) {
      const events = this.#store.read((reader) => listEventsSince(reader, this.#cursor, PAGE_SIZE))
      for (const event of events) this.#deliver(event, touched)
      this.#cursor = events.at(-1)?.seq ?? this.#cursor
      if (events.length < PAGE_SIZE) break
    }
    // Last, because the end of a stream may be committed together with events still to be sent.
    for (const subject of touched) this.#closeIfOver(subject)
  }

  #deliver(event: StoredEvent, touched: Set<string>): void {
    for (const subject of [event.subject, ALL_SUBJECTS]) {
      const subscribers = this.#bySubject.get(subject)
      if (subscribers === undefined) continue
      touched.add(subject)
      // All streams of a subject send the same bytes.
      let frame: Buffer | undefined
      for (const subscriber of subscribers) {
        const { source } = subscriber
        if (source.accepts(event)) this.#send(subscriber, (frame ??= Buffer.from(source.format(event))))
      }
    }
  }

  #send({ reply }: Subscriber, frame: Buffer): void {
    if (reply.raw.writableLength > this.#limits.stream_buffer_bytes) reply.raw.destroy()
    else reply.raw.write(frame)
  }

  #closeIfOver(subject: string): void {
    const subscribers = [...(this.#bySubject.get(subject) ?? [])]
    if (subscribers[0] === undefined || !this.#store.read(subscribers[0].source.isOver)) return
    for (const { reply } of subscribers) reply.sse.close()
  }

  #forEach(work: (subscriber: Subscriber) => void): void {
    for (const subscribers of this.#bySubject.values()) for (const subscriber of subscribers) work(subscriber)
  }
}

/** Resolves when the client has read what was sent, or has disconnected. */
function waitForDrain({ raw }: FastifyReply): Promise<void> {
  if (!raw.writableNeedDrain) return nextTurn()
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'error'] as const
    const done = () => {
      for (const name of events) raw.off(name, done)
      resolve()
    }
    for (const name of events) raw.once(name, done)
  })
}
