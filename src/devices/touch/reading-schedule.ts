import { WakeablePause } from '../../timing/wakeable-pause.ts'

/** Decides when the screen of a phone is read next: when inputs have stopped, and at intervals otherwise. */
export class ReadingSchedule {
  readonly #settleMs: number
  #inputCount = 0
  #lastInputMs = Number.NEGATIVE_INFINITY
  #isBusy = false
  #hasUnreadInput = false
  #lastReadingMs = performance.now()
  #idleMs = MIN_IDLE_MS
  #isFinishing = false
  #isClosed = false
  readonly #pause = new WakeablePause()

  constructor(settleMs: number) {
    this.#settleMs = settleMs
  }

  /** Whether there was an input since the last reading. */
  get hasUnreadInput(): boolean {
    return this.#hasUnreadInput
  }

  /** Pass `isBusy` while a finger or a key is down. */
  noteInput(isBusy: boolean): void {
    this.#inputCount += 1
    this.#lastInputMs = performance.now()
    this.#isBusy = isBusy
    this.#hasUnreadInput = true
    this.#pause.wake()
  }

  /** Returns a function that tells whether there was no input since. If so, all input counts as read. */
  watchForInput(): () => boolean {
    const before = this.#inputCount
    return () => {
      if (this.#inputCount !== before) return false
      this.#hasUnreadInput = false
      return true
    }
  }

  /** A screen that changed is read again soon. The interval doubles while it stays the same. */
  noteReading(hasChanged: boolean): void {
    this.#lastReadingMs = performance.now()
    this.#idleMs = hasChanged ? MIN_IDLE_MS : Math.min(MAX_IDLE_MS, this.#idleMs * 2)
  }

  /** Call it after a failed reading. The next one is due as after an input. */
  retry(): void {
    this.#lastInputMs = performance.now()
    this.#hasUnreadInput = true
  }

  /** From now on only unread input causes a reading. */
  finish(): void {
    this.#isFinishing = true
    this.#pause.wake()
  }

  /** From now on nothing causes a reading. */
  close(): void {
    this.#isClosed = true
    this.#pause.wake()
  }

  /** Resolves when a reading is due. */
  async waitUntilDue(): Promise<void> {
    for (;;) {
      if (this.#isClosed || (this.#isFinishing && !this.#hasUnreadInput)) return
      const waitMs = this.#dueAtMs() - performance.now()
      if (waitMs <= 0) return
      await this.#pause.wait(waitMs)
    }
  }

  #dueAtMs(): number {
    if (!this.#hasUnreadInput) return this.#lastReadingMs + this.#idleMs
    return this.#lastInputMs + (this.#isBusy ? RELEASE_TIMEOUT_MS : this.#settleMs)
  }
}

const MIN_IDLE_MS = 100
/** A change without input is noticed after at most this time. */
const MAX_IDLE_MS = 2500
/** A finger or key without events for this long counts as released. */
const RELEASE_TIMEOUT_MS = 5000
