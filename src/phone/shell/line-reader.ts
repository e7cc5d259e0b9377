const EMPTY: Buffer = Buffer.alloc(0)

/** Reads standard input by line or as a whole. Reads from the source only on demand. */
export class LineReader {
  private readonly source: AsyncIterator<Buffer> | undefined
  private readonly signal: AbortSignal
  private buffered: Buffer
  private finished = false
  private stop: (() => void) | undefined

  /** `buffered` is read before the source. */
  constructor(source: AsyncIterable<Buffer> | undefined, signal: AbortSignal, buffered = EMPTY) {
    this.source = source?.[Symbol.asyncIterator]()
    this.signal = signal
    this.buffered = buffered
  }

  /** The next line without its line end. Undefined at the end of the input. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.buffered.indexOf(0x0a)
      if (end !== -1) {
        const line = this.buffered.toString('utf8', 0, end)
        this.buffered = this.buffered.subarray(end + 1)
        return line
      }
      if (!(await this.readMore())) break
    }
    if (this.buffered.length === 0) return undefined
    const rest = this.buffered.toString('utf8')
    this.buffered = EMPTY
    return rest
  }

  /** What is buffered, or else what comes next. Undefined at the end of the input. */
  async chunk(): Promise<Buffer | undefined> {
    if (this.buffered.length === 0) await this.readMore()
    const chunk = this.buffered
    this.buffered = EMPTY
    return chunk.length === 0 ? undefined : chunk
  }

  async all(): Promise<Buffer> {
    while (await this.readMore());
    const all = this.buffered
    this.buffered = EMPTY
    return all
  }

  private async readMore(): Promise<boolean> {
    if (this.source === undefined || this.finished || this.signal.aborted) return false
    const next = await this.nextOrAbort(this.source)
    if (next === undefined || next.done === true) {
      this.finished = true
      return false
    }
    this.buffered = this.buffered.length === 0 ? next.value : Buffer.concat([this.buffered, next.value])
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
