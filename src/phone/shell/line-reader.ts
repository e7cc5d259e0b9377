const nothing: Buffer = Buffer.alloc(0)

/** Standard input, by the line or all at once. Only what is asked for is taken from the source. */
export class LineReader {
  private readonly source: AsyncIterator<Buffer> | undefined
  private readonly signal: AbortSignal
  private held: Buffer
  private ended = false
  private stop: (() => void) | undefined

  /** `held` is there before anything comes from the source, if there is one. */
  constructor(source: AsyncIterable<Buffer> | undefined, signal: AbortSignal, held = nothing) {
    this.source = source?.[Symbol.asyncIterator]()
    this.signal = signal
    this.held = held
  }

  /** The next line without its end; undefined when there is none. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.held.indexOf(0x0a)
      if (end !== -1) {
        const line = this.held.toString('utf8', 0, end)
        this.held = this.held.subarray(end + 1)
        return line
      }
      if (!(await this.more())) break
    }
    if (this.held.length === 0) return undefined
    const rest = this.held.toString('utf8')
    this.held = nothing
    return rest
  }

  async all(): Promise<Buffer> {
    while (await this.more());
    const all = this.held
    this.held = nothing
    return all
  }

  private async more(): Promise<boolean> {
    if (this.source === undefined || this.ended || this.signal.aborted) return false
    const next = await this.nextOrAbort(this.source)
    if (next === undefined || next.done === true) {
      this.ended = true
      return false
    }
    this.held = this.held.length === 0 ? next.value : Buffer.concat([this.held, next.value])
    return true
  }

  /** A source that never ends must not keep a shell whose stream was closed. */
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

export function readerOf(data: Buffer, signal: AbortSignal): LineReader {
  return new LineReader(undefined, signal, data)
}
