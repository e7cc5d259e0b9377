/** Bytes on their way from a producer that pushes to one consumer that pulls. */
export class ChunkQueue implements AsyncIterable<Buffer> {
  private readonly onTaken: (chunk: Buffer) => void
  private readonly chunks: Buffer[] = []
  private waiting: ((chunk: Buffer | undefined) => void) | undefined
  private ended = false
  private held = 0

  /** `onTaken` runs for each chunk the consumer takes: the place to let the producer go on. */
  constructor(onTaken: (chunk: Buffer) => void = () => {}) {
    this.onTaken = onTaken
  }

  /** Bytes pushed and not yet taken. */
  get bytes(): number {
    return this.held
  }

  push(chunk: Buffer): void {
    if (this.ended) return
    this.chunks.push(chunk)
    this.held += chunk.length
    this.hand()
  }

  /** What was pushed before is still delivered; what is pushed later is dropped. */
  end(): void {
    this.ended = true
    this.hand()
  }

  /** The next chunk, or undefined after the end. One caller at a time. */
  next(): Promise<Buffer | undefined> {
    return new Promise((resolve) => {
      this.waiting = resolve
      this.hand()
    })
  }

  /** Forgets what was pushed and not yet taken. */
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

  private hand(): void {
    const waiting = this.waiting
    if (waiting === undefined) return
    const chunk = this.chunks.shift()
    if (chunk === undefined && !this.ended) return
    this.waiting = undefined
    if (chunk !== undefined) this.take(chunk)
    waiting(chunk)
  }

  private take(chunk: Buffer): void {
    this.held -= chunk.length
    this.onTaken(chunk)
  }
}

/** Cuts a sequence of chunks into pieces of the lengths a protocol asks for. */
export class ByteReader {
  private readonly source: () => Promise<Buffer | undefined>
  private held: Buffer[] = []
  private heldBytes = 0

  constructor(source: () => Promise<Buffer | undefined>) {
    this.source = source
  }

  /** Exactly `length` bytes, or undefined when the source ends before. */
  async take(length: number): Promise<Buffer | undefined> {
    while (this.heldBytes < length) {
      const chunk = await this.source()
      if (chunk === undefined) return undefined
      this.held.push(chunk)
      this.heldBytes += chunk.length
    }
    const all =
      this.held.length === 1 ? (this.held[0] ?? Buffer.alloc(0)) : Buffer.concat(this.held)
    const rest = all.subarray(length)
    this.held = rest.length > 0 ? [rest] : []
    this.heldBytes = rest.length
    return all.subarray(0, length)
  }

  /** What is at hand, however long, else the next chunk. */
  async takeAny(): Promise<Buffer | undefined> {
    return this.heldBytes > 0 ? this.take(this.heldBytes) : this.source()
  }

  discard(): void {
    this.held = []
    this.heldBytes = 0
  }
}
