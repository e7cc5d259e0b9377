/** Standard input, by the line or all at once. Only what is asked for is taken from the source. */
export class LineReader {
  private readonly source: AsyncIterator<Buffer>
  private readonly signal: AbortSignal
  private held: Buffer = Buffer.alloc(0)
  private ended = false

  constructor(source: AsyncIterable<Buffer>, signal: AbortSignal) {
    this.source = source[Symbol.asyncIterator]()
    this.signal = signal
  }

  /** The next line without its end; undefined when there is none. */
  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.held.indexOf(0x0a)
      if (end !== -1) {
        const line = this.held.subarray(0, end).toString('utf8')
        this.held = this.held.subarray(end + 1)
        return line
      }
      if (!(await this.more())) break
    }
    if (this.held.length === 0) return undefined
    const rest = this.held.toString('utf8')
    this.held = Buffer.alloc(0)
    return rest
  }

  async all(): Promise<Buffer> {
    while (await this.more());
    const all = this.held
    this.held = Buffer.alloc(0)
    return all
  }

  private async more(): Promise<boolean> {
    if (this.ended || this.signal.aborted) return false
    const next = await this.nextOrAbort()
    if (next === undefined || next.done === true) {
      this.ended = true
      return false
    }
    this.held = Buffer.concat([this.held, next.value])
    return true
  }

  /** A source that never ends must not keep a shell whose stream was closed. */
  private async nextOrAbort(): Promise<IteratorResult<Buffer> | undefined> {
    let stop = (): void => undefined
    const stopped = new Promise<undefined>((resolve) => {
      stop = () => resolve(undefined)
      this.signal.addEventListener('abort', stop, { once: true })
    })
    try {
      return await Promise.race([this.source.next(), stopped])
    } finally {
      this.signal.removeEventListener('abort', stop)
    }
  }
}

export function readerOf(data: Buffer, signal: AbortSignal): LineReader {
  return new LineReader(oneChunk(data), signal)
}

async function* oneChunk(data: Buffer): AsyncGenerator<Buffer> {
  yield await Promise.resolve(data)
}
