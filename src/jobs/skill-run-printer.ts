import type { PrintedPiece } from '../domain/skill-runs/follow-run.ts'

const pauseMs = 100
const enough = 16_384
/** What those who follow a run are told of its output; the beginning and the end of all of it are kept anyway. */
const most = 1_048_576

/** Gathers what a script prints into few, not too large pieces. */
export class Printer {
  readonly #write: (pieces: readonly PrintedPiece[]) => Promise<void>
  #pieces: PrintedPiece[] = []
  #gathered = 0
  #told = 0
  #timer: NodeJS.Timeout | undefined
  #written: Promise<void> = Promise.resolve()

  constructor(write: (pieces: readonly PrintedPiece[]) => Promise<void>) {
    this.#write = write
  }

  add(stream: PrintedPiece['stream'], text: string): void {
    const room = most - this.#told
    if (room <= 0) return
    this.#told += text.length
    this.#put(stream, text.length > room ? `${text.slice(0, room)}\n… not shown further …\n` : text)
    if (this.#gathered >= enough) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), pauseMs)
  }

  /** Resolves when all of it is on record. */
  async flush(): Promise<void> {
    this.#send()
    await this.#written
  }

  #put(stream: PrintedPiece['stream'], text: string): void {
    this.#gathered += text.length
    const last = this.#pieces.at(-1)
    if (last?.stream === stream) {
      this.#pieces[this.#pieces.length - 1] = { stream, text: last.text + text }
    } else this.#pieces.push({ stream, text })
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const pieces = this.#pieces
    if (pieces.length === 0) return
    this.#pieces = []
    this.#gathered = 0
    this.#written = this.#written.then(() => this.#write(pieces))
  }
}
