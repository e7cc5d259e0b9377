import type { Redis } from 'ioredis'
import { packContents, type SendContent } from './contents.ts'
import type { Seal } from './seal.ts'

export interface SenderDeps {
  readonly redis: Redis
  readonly key: string
  readonly seal: Seal
  /** Written beside each message, not encrypted. */
  readonly labels: Readonly<Record<string, string>>
  /** Absent: messages contain no large contents. */
  readonly sendContent?: SendContent
  readonly onError: (error: unknown) => void
}

/** Beyond about this many unread entries the oldest are lost, which ends their connection. */
const MAX_ENTRIES = 100_000

/**
 * Writes messages to a stream in the order of the calls. Those of one turn share an entry. Entries are numbered, so that
 * the reader notices a missing or repeated one.
 */
export class Sender {
  readonly #deps: SenderDeps
  #number = 0
  #pending: Promise<unknown>[] = []
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: SenderDeps) {
    this.#deps = deps
  }

  /** Resolves when the message is stored in Redis. Rejects if a content could not be sent. */
  send(message: object): Promise<void> {
    const { sendContent } = this.#deps
    const packed = sendContent === undefined ? Promise.resolve(message) : packContents(message, sendContent)
    // Observed below; the rejection is that of the write.
    packed.catch(() => {})
    if (this.#pending.push(packed) === 1) {
      const previous = this.#writing
      this.#writing = new Promise((resolve) => {
        setImmediate(resolve)
      })
        .then(() => previous)
        .then(() => this.#write())
      this.#writing.catch(this.#deps.onError)
    }
    return this.#writing
  }

  async #write(): Promise<void> {
    const { redis, key, seal, labels } = this.#deps
    const messages = await Promise.all(this.#pending.splice(0))
    this.#number += 1
    const number = String(this.#number)
    const sealed = seal.close(JSON.stringify(messages), number)
    const fields = Object.entries({ ...labels, number, sealed }).flat()
    await redis.xadd(key, 'MAXLEN', '~', MAX_ENTRIES, '*', ...fields)
  }
}

/** Opens the entries of a `Sender`. */
export class Receiver {
  readonly #seal: Seal
  #last = 0

  constructor(seal: Seal) {
    this.#seal = seal
  }

  /**
   * The messages of an entry: none of one that was read before or that the sender did not write. Throws if an entry is
   * missing, because then messages are lost.
   */
  open({ number = '', sealed = '' }: Readonly<Record<string, string>>): readonly unknown[] {
    const text = this.#seal.open(sealed, number)
    const at = Number(number)
    if (text === undefined || at <= this.#last) return []
    if (at !== this.#last + 1) throw new Error(`Entry ${this.#last + 1} is missing.`)
    this.#last = at
    // Written by the sender with the same key.
    return JSON.parse(text) as unknown[]
  }
}
