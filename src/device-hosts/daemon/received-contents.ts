import { hash } from 'node:crypto'

/** A host that sends more without naming it in a message loses the oldest. */
const MAX_BYTES = 256 * 1024 * 1024

/** Contents of which parts are missing. A host sends few at a time. */
const MAX_UNFINISHED = 50

export interface ContentPart {
  readonly sha256: string
  readonly part: number
  readonly parts: number
}

interface Received {
  readonly content: Buffer
  /** How often it was sent. Each message that names it takes one. */
  count: number
}

/** Contents that a host sent before the message that names them. */
export class ReceivedContents {
  readonly #contents = new Map<string, Received>()
  /** The parts of contents that have not all arrived. */
  readonly #parts = new Map<string, Map<number, Buffer>>()
  #bytes = 0

  /** The number of parts that have arrived. Undefined if the last one shows that the content does not have the hash. */
  putPart({ sha256, part, parts }: ContentPart, bytes: Buffer): number | undefined {
    if (parts === 1) return this.put(sha256, bytes) ? 1 : undefined
    const arrived = this.#parts.get(sha256) ?? new Map<number, Buffer>()
    arrived.set(part, bytes)
    this.#parts.set(sha256, arrived)
    this.#dropOldParts()
    if (arrived.size < parts) return arrived.size
    this.#parts.delete(sha256)
    const ordered = [...arrived].toSorted(([a], [b]) => a - b).map(([, one]) => one)
    return this.put(sha256, Buffer.concat(ordered)) ? parts : undefined
  }

  /** Returns false if the content does not have the hash. */
  put(sha256: string, content: Buffer): boolean {
    if (hash('sha256', content, 'hex') !== sha256) return false
    const known = this.#contents.get(sha256)
    if (known === undefined) {
      this.#contents.set(sha256, { content, count: 1 })
      this.#bytes += content.length
    } else known.count += 1
    for (const oldest of this.#contents.keys()) {
      if (this.#bytes <= MAX_BYTES || oldest === sha256) break
      this.#remove(oldest)
    }
    return true
  }

  take(sha256: string): Buffer {
    const received = this.#contents.get(sha256)
    if (received === undefined) throw new Error(`The content ${sha256} was not received.`)
    received.count -= 1
    if (received.count === 0) this.#remove(sha256)
    return received.content
  }

  #dropOldParts(): void {
    for (const sha256 of this.#parts.keys()) {
      if (this.#parts.size <= MAX_UNFINISHED) break
      this.#parts.delete(sha256)
    }
  }

  #remove(sha256: string): void {
    this.#bytes -= this.#contents.get(sha256)?.content.length ?? 0
    this.#contents.delete(sha256)
  }
}
