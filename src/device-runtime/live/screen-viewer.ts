export type ScreenEvent = 'frame' | 'elements' | 'screen_state'

/** Where a viewer's events go; a response to a request is one. */
export interface Sink {
  /** Full: whatever is written now would only pile up. */
  readonly writableNeedDrain: boolean
  write(text: string): unknown
  on(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}

/** One who watches a screen. Of each kind of event only the newest waits: who is slow skips what is past. */
export class ScreenViewer {
  readonly key: string
  readonly maxFps: number
  readonly #sink: Sink
  readonly #waiting = new Map<ScreenEvent, string>()
  readonly #flush = () => this.#send()
  #nextFrameAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(sink: Sink, { key, maxFps }: { readonly key: string; readonly maxFps: number }) {
    this.#sink = sink
    this.key = key
    this.maxFps = maxFps
    sink.on('drain', this.#flush)
  }

  offer(event: ScreenEvent, data: string): void {
    this.#waiting.set(event, data)
    this.#send()
  }

  /** Shows the other side, and whatever lies between, that somebody is there. */
  keepAlive(): void {
    if (!this.#sink.writableNeedDrain) this.#sink.write(':keepalive\n\n')
  }

  leave(): void {
    clearTimeout(this.#timer)
    this.#waiting.clear()
    this.#sink.off('drain', this.#flush)
  }

  #send(): void {
    for (const [event, data] of this.#waiting) {
      if (this.#sink.writableNeedDrain) return
      if (event === 'frame' && this.#mustWait()) continue
      this.#waiting.delete(event)
      this.#sink.write(`event: ${event}\ndata: ${data}\n\n`)
    }
  }

  /** Keeps to the viewer's own rate, which may be below that of the others. */
  #mustWait(): boolean {
    const now = performance.now()
    const leftMs = this.#nextFrameAt - now
    if (leftMs <= 0) {
      this.#nextFrameAt = now + 1000 / this.maxFps
      return false
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#flush, leftMs)
    return true
  }
}
