import type { OutputChunk } from '../domain/skill-runs/skill-run-record.ts'

const FLUSH_DELAY_MS = 100
const FLUSH_LENGTH = 16_384
/** Limits the output in the event stream. The head and tail of the whole output are stored in the run anyway. */
const MAX_STREAMED_LENGTH = 1_048_576

/** Combines the output of a script into chunks of limited size. */
export class OutputBatcher {
  readonly #write: (chunks: readonly OutputChunk[]) => Promise<void>
  #chunks: OutputChunk[] = []
  #bufferedLength = 0
  #streamedLength = 0
  #timer: NodeJS.Timeout | undefined
  #written: Promise<void> = Promise.resolve()

  constructor(write: (chunks: readonly OutputChunk[]) => Promise<void>) {
    this.#write = write
  }

  add(stream: OutputChunk['stream'], text: string): void {
    const remaining = MAX_STREAMED_LENGTH - this.#streamedLength
    if (remaining <= 0) return
    this.#streamedLength += text.length
    this.#put(stream, text.length > remaining ? `${text.slice(0, remaining)}\n… output truncated …\n` : text)
    if (this.#bufferedLength >= FLUSH_LENGTH) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), FLUSH_DELAY_MS)
  }

  /** Resolves when all output is written. */
  async flush(): Promise<void> {
    this.#send()
    await this.#written
  }

  #put(stream: OutputChunk['stream'], text: string): void {
    this.#bufferedLength += text.length
    const last = this.#chunks.at(-1)
    if (last?.stream === stream) {
      this.#chunks[this.#chunks.length - 1] = { stream, text: last.text + text }
    } else this.#chunks.push({ stream, text })
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const chunks = this.#chunks
    if (chunks.length === 0) return
    this.#chunks = []
    this.#bufferedLength = 0
    this.#written = this.#written.then(() => this.#write(chunks))
  }
}
