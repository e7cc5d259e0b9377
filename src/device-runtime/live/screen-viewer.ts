export type ScreenEvent = 'frame' | 'elements' | 'screen_state'

/** The output of a viewer: an HTTP response, or a fake one in tests. */
export interface Sink {
  /** True while the output buffer is full. */
  readonly writableNeedDrain: boolean
  write(text: string): unknown
  on(event: 'drain', listener: () => void): unknown
  off(event: 'drain', listener: () => void): unknown
}

/** One viewer of a screen. Only the newest event of each kind waits, so a slow viewer skips older ones. */
export class ScreenViewer {
  readonly principal: string
  readonly maxFps: number
  readonly #sink: Sink
  readonly #sent = new Map<ScreenEvent, string>()
  readonly #pending = new Map<ScreenEvent, string>()
  readonly #flush = () => this.#send()
  #nextFrameAt = 0
  #timer: NodeJS.Timeout | undefined

  constructor(sink: Sink, { principal, maxFps }: { readonly principal: string; readonly maxFps: number }) {
    this.#sink = sink
    this.principal = principal
    this.maxFps = maxFps
    sink.on('drain', this.#flush)
  }

  /** Sends an event when it differs from the last one of its kind. */
  offer(event: ScreenEvent, data: string): void {
    if ((this.#pending.get(event) ?? this.#sent.get(event)) === data) return
    this.#pending.set(event, data)
    this.#send()
  }

  /** Replaces what waits to be sent by the state of a screen that this viewer must not see. */
  withhold(state: string): void {
    this.#pending.clear()
    this.offer('screen_state', state)
  }

  /** Writes a comment so that clients and proxies keep the connection open. */
  keepAlive(): void {
    if (!this.#sink.writableNeedDrain) this.#sink.write(':keepalive\n\n')
  }

  leave(): void {
    clearTimeout(this.#timer)
    this.#pending.clear()
    this.#sink.off('drain', this.#flush)
  }

  #send(): void {
    for (const [event, data] of this.#pending) {
      if (this.#sink.writableNeedDrain) return
      if (event === 'frame' && this.#mustWait()) continue
      this.#pending.delete(event)
      this.#sent.set(event, data)
      this.#sink.write(`event: ${event}\ndata: ${data}\n\n`)
    }
  }

  /** Limits frames to the rate of this viewer, which may be lower than that of the feed. */
  #mustWait(): boolean {
    const now = performance.now()
    const remainingMs = this.#nextFrameAt - now
    if (remainingMs <= 0) {
      this.#nextFrameAt = now + 1000 / this.maxFps
      return false
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(this.#flush, remainingMs)
    return true
  }
}
