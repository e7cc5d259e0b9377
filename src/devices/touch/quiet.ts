/** Tells when a phone has been left alone for long enough to be looked at, or too long without a look. */
export class Quiet {
  readonly #settleMs: number
  #disturbances = 0
  #disturbedAtMs = Number.NEGATIVE_INFINITY
  #busy = false
  #disturbed = false
  #lookedAtMs = performance.now()
  #idleMs = LEAST_IDLE_MS
  #ending = false
  #closed = false
  #wake: () => void = () => {}

  constructor(settleMs: number) {
    this.#settleMs = settleMs
  }

  /** Something was done that no look has shown yet. */
  get isDisturbed(): boolean {
    return this.#disturbed
  }

  disturbed(busy: boolean): void {
    this.#disturbances += 1
    this.#disturbedAtMs = performance.now()
    this.#busy = busy
    this.#disturbed = true
    this.#wake()
  }

  /** Answers later whether nothing was done since. */
  mark(): () => boolean {
    const before = this.#disturbances
    return () => {
      if (this.#disturbances !== before) return false
      this.#disturbed = false
      return true
    }
  }

  /** A screen that still changes is looked at again at once; the longer it does not, the later. */
  looked(changed: boolean): void {
    this.#lookedAtMs = performance.now()
    this.#idleMs = changed ? LEAST_IDLE_MS : Math.min(MOST_IDLE_MS, this.#idleMs * 2)
  }

  /** The last look failed: the next one is due as if something had been done. */
  again(): void {
    this.#disturbedAtMs = performance.now()
    this.#disturbed = true
  }

  /** From now on only what was already done is worth waiting for. */
  end(): void {
    this.#ending = true
    this.#wake()
  }

  /** From now on nothing is. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** Resolves when a look is due. */
  async rest(): Promise<void> {
    for (;;) {
      if (this.#closed || (this.#ending && !this.#disturbed)) return
      const waitMs = this.#dueAtMs() - performance.now()
      if (waitMs <= 0) return
      await this.#pause(waitMs)
    }
  }

  #dueAtMs(): number {
    if (!this.#disturbed) return this.#lookedAtMs + this.#idleMs
    return this.#disturbedAtMs + (this.#busy ? STUCK_MS : this.#settleMs)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#wake = () => {}
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#wake = done
    })
  }
}

const LEAST_IDLE_MS = 100
/** A screen that changes by itself is not known for longer than this. */
const MOST_IDLE_MS = 2500
/** A finger or a key that says nothing for this long has been let go unnoticed. */
const STUCK_MS = 5000
