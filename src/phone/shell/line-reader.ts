const EMPTY: Buffer = Buffer.alloc(0)
const LINE_END = 0x0a

/** Reads standard input by line, by chunk or as a whole. Reads from the source only on demand. */
export class LineReader {
  private readonly source: AsyncIterator<Buffer> | undefined
  private readonly signal: AbortSignal
  /** Read and not yet taken. */
  private chunks: Buffer[]
  private finished = false
  private stop: (() => void) | undefined

  /** `buffered` is read before the source. */
  constructor(source: AsyncIterable<Buffer> | undefined, signal: AbortSignal, buffered = EMPTY) {
    this.source = source?.[Symbol.asyncIterator]()
    this.signal = signal
    this.chunks = buffered.length === 0 ? [] : [buffered]
  }

  /** The next line without its line end. Undefined at the end of the input. */
  async line(): Promise<string | undefined> {
    const parts: Buffer[] = []
    for (;;) {
      const chunk = this.chunks.shift()
      if (chunk === undefined) {
        if (await this.readMore()) continue
        return parts.length === 0 ? undefined : Buffer.concat(parts).toString('utf8')
      }
      const end = chunk.indexOf(LINE_END)
      parts.push(end === -1 ? chunk : chunk.subarray(0, end))
      if (end === -1) continue
      if (end + 1 < chunk.length) this.chunks.unshift(chunk.subarray(end + 1))
      return Buffer.concat(parts).toString('utf8')
    }
  }

  /** What is buffered, or else what comes next. Undefined at the end of the input. */
  async chunk(): Promise<Buffer | undefined> {
    while (this.chunks.length === 0 && (await this.readMore()));
    return this.chunks.shift()
  }

  async all(): Promise<Buffer> {
    while (await this.readMore());
    return Buffer.concat(this.chunks.splice(0))
  }

  private async readMore(): Promise<boolean> {
    if (this.source === undefined || this.finished || this.signal.aborted) return false
    const next = await this.nextOrAbort(this.source)
    if (next === undefined || next.done === true) {
      this.finished = true
      return false
    }
    if (next.value.length > 0) this.chunks.push(next.value)
    return true
  }

  /** Resolves on abort, so that a source without end does not block a closed shell. */
  private nextOrAbort(source: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer> | undefined> {
    if (this.stop === undefined) {
      this.signal.addEventListener('abort', () => this.stop?.(), { once: true })
    }
    return new Promise((resolve, reject) => {
      this.stop = () => resolve(undefined)
      source.next().then(resolve, reject)
    })
  }
}

export function createReader(data: Buffer, signal: AbortSignal): LineReader {
  return new LineReader(undefined, signal, data)
}
