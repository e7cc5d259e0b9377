import type {} from '@fastify/sse'
import type { FastifyReply } from 'fastify'
import type { Reader, Store } from '../store/db/db.ts'
import {
  lastEventSeq,
  listEventsSince,
  listStreamEvents,
  type StoredEvent,
} from '../store/command/events.ts'
import { frameOf } from './frame.ts'

const pageSize = 500

/** Something whose events can be followed. */
export interface Source {
  readonly subject: string
  /** Nothing more will come. */
  readonly isOver: (reader: Reader) => boolean
}

interface Subscriber {
  readonly reply: FastifyReply
  readonly source: Source
  readonly key: string
  open: boolean
}

export interface HubLimits {
  /** A subscriber that lets more than this pile up is cut off; it reconnects with its last id. */
  readonly stream_buffer_bytes: number
  readonly stream_keepalive_ms: number
}

/** Fans committed events out to open streams. It only reads, and only what is already committed. */
export class Hub {
  readonly #store: Store
  readonly #limits: HubLimits
  readonly #bySubject = new Map<string, Set<Subscriber>>()
  readonly #perKey = new Map<string, number>()
  readonly #keepalive: NodeJS.Timeout
  readonly #forget: () => void
  #cursor: number

  constructor(store: Store, limits: HubLimits) {
    this.#store = store
    this.#limits = limits
    this.#cursor = store.read(lastEventSeq)
    this.#forget = store.onCommit(() => this.#publish())
    const keepalive = Buffer.from(':keepalive\n\n')
    this.#keepalive = setInterval(
      () => this.#each(({ reply }) => reply.raw.write(keepalive)),
      limits.stream_keepalive_ms,
    )
    this.#keepalive.unref()
  }

  get subscribers(): number {
    let count = 0
    this.#each(() => {
      count += 1
    })
    return count
  }

  /** Streams a key holds, counting those still replaying. */
  streamsOf(key: string): number {
    return this.#perKey.get(key) ?? 0
  }

  /**
   * Replays what came after `afterSeq`, page by page at the reader's pace, then goes live. The subscriber joins
   * in the same turn in which a page comes back empty, so nothing slips between.
   */
  async serve(
    reply: FastifyReply,
    { source, afterSeq, key }: { source: Source; afterSeq: number; key: string },
  ): Promise<void> {
    const subscriber: Subscriber = { reply, source, key, open: true }
    this.#perKey.set(key, this.streamsOf(key) + 1)
    reply.sse.keepAlive()
    reply.sse.onClose(() => this.#leave(subscriber))
    reply.sse.sendHeaders()
    reply.raw.write('retry: 3000\n\n')
    let cursor = afterSeq
    while (subscriber.open) {
      const events = this.#store.read((reader) =>
        listStreamEvents(reader, source.subject, { afterSeq: cursor, limit: pageSize }),
      )
      if (events.length === 0) {
        this.#join(subscriber)
        return
      }
      for (const event of events) reply.raw.write(frameOf(event))
      cursor = events.at(-1)?.stream_seq ?? cursor
      await drained(reply)
    }
  }

  close(): void {
    this.#forget()
    clearInterval(this.#keepalive)
    this.#each(({ reply }) => reply.sse.close())
    this.#bySubject.clear()
  }

  #join(subscriber: Subscriber): void {
    const { source, reply } = subscriber
    if (this.#store.read(source.isOver)) {
      reply.sse.close()
      return
    }
    const among = this.#bySubject.get(source.subject) ?? new Set()
    this.#bySubject.set(source.subject, among.add(subscriber))
  }

  #leave(subscriber: Subscriber): void {
    if (!subscriber.open) return
    subscriber.open = false
    const left = this.streamsOf(subscriber.key) - 1
    if (left > 0) this.#perKey.set(subscriber.key, left)
    else this.#perKey.delete(subscriber.key)
    const { subject } = subscriber.source
    const among = this.#bySubject.get(subject)
    among?.delete(subscriber)
    if (among?.size === 0) this.#bySubject.delete(subject)
  }

  #publish(): void {
    if (this.#bySubject.size === 0) {
      this.#cursor = this.#store.read(lastEventSeq)
      return
    }
    const touched = new Set<string>()
    for (;;) {
      const events = this.#store.read((reader) => listEventsSince(reader, this.#cursor, pageSize))
      for (const event of events) this.#deliver(event, touched)
      this.#cursor = events.at(-1)?.seq ?? this.#cursor
      if (events.length < pageSize) break
    }
    // Last, because what ends a stream may be committed together with events still to be told.
    for (const subject of touched) this.#endIfOver(subject)
  }

  #deliver(event: StoredEvent, touched: Set<string>): void {
    const among = this.#bySubject.get(event.subject)
    if (among === undefined) return
    touched.add(event.subject)
    if (event.stream_seq === undefined) return
    const frame = Buffer.from(frameOf(event))
    for (const subscriber of among) this.#send(subscriber, frame)
  }

  #send({ reply }: Subscriber, frame: Buffer): void {
    if (reply.raw.writableLength > this.#limits.stream_buffer_bytes) reply.raw.destroy()
    else reply.raw.write(frame)
  }

  #endIfOver(subject: string): void {
    const among = [...(this.#bySubject.get(subject) ?? [])]
    if (among[0] === undefined || !this.#store.read(among[0].source.isOver)) return
    for (const { reply } of among) reply.sse.close()
  }

  #each(work: (subscriber: Subscriber) => void): void {
    for (const among of this.#bySubject.values()) for (const subscriber of among) work(subscriber)
  }
}

/** Resolves when the reader has caught up, or is gone. */
function drained({ raw }: FastifyReply): Promise<void> {
  if (!raw.writableNeedDrain) return new Promise((resolve) => setImmediate(resolve))
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'error'] as const
    const done = () => {
      for (const name of events) raw.off(name, done)
      resolve()
    }
    for (const name of events) raw.once(name, done)
  })
}
