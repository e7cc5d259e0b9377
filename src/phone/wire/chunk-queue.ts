/** A queue of byte chunks between a producer that pushes and one consumer that pulls. */
export class ChunkQueue implements AsyncIterable<Buffer> {
  private readonly onTaken: (chunk: Buffer) => void
  private readonly chunks: Buffer[] = []
  private waiting: ((chunk: Buffer | undefined) => void) | undefined
  private finished = false
  private pendingBytes = 0

  /** `onTaken` is called for each chunk that the consumer takes. Use it to resume the producer. */
  constructor(onTaken: (chunk: Buffer) => void = () => {}) {
    this.onTaken = onTaken
  }

  /** Bytes pushed and not yet taken. */
  get bytes(): number {
    return this.pendingBytes
  }

  push(chunk: Buffer): void {
    if (this.finished) return
    this.chunks.push(chunk)
    this.pendingBytes += chunk.length
    this.deliver()
  }

  /** Ends the queue. Earlier chunks are still delivered. Later chunks are dropped. */
  end(): void {
    this.finished = true
    this.deliver()
  }

  /** The next chunk, or undefined after the end. Only one call may wait at a time. */
  next(): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      this.waiting = resolve
      this.deliver()
    })
  }

  /** Drops the chunks that were not taken. */
  discard(): void {
    for (const chunk of this.chunks.splice(0)) this.take(chunk)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = await this.next()
      if (chunk === undefined) return
      yield chunk
    }
  }

  private deliver(): void {
    const waiting = this.waiting
    if (waiting === undefined) return
    const chunk = this.chunks.shift()
    if (chunk === undefined && !this.finished) return
    this.waiting = undefined
    if (chunk !== undefined) this.take(chunk)
    waiting(chunk)
  }

  private take(chunk: Buffer): void {
    this.pendingBytes -= chunk.length
    this.onTaken(chunk)
  }
}

/** Reads pieces of a given length from a sequence of chunks. */
export class ByteReader {
  private readonly source: () => Promise<Buffer | undefined>
  private pending: Buffer[] = []
  private pendingBytes = 0

  constructor(source: () => Promise<Buffer | undefined>) {
    this.source = source
  }

  /** Exactly `length` bytes, or undefined when the source ends before. */
  async take(length: number): Promise<Buffer | undefined> {
    while (this.pendingBytes < length) {
      const chunk = await this.source()
      if (chunk === undefined) return undefined
      this.pending.push(chunk)
      this.pendingBytes += chunk.length
    }
    const all = this.pending.length === 1 ? (this.pending[0] ?? Buffer.alloc(0)) : Buffer.concat(this.pending)
    const rest = all.subarray(length)
    this.pending = rest.length > 0 ? [rest] : []
    this.pendingBytes = rest.length
    return all.subarray(0, length)
  }

  /** The buffered bytes, or else the next chunk. */
  async takeAny(): Promise<Buffer | undefined> {
    return this.pendingBytes > 0 ? this.take(this.pendingBytes) : this.source()
  }

  discard(): void {
    this.pending = []
    this.pendingBytes = 0
  }
}
