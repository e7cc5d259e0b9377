import { setTimeout as sleep } from 'node:timers/promises'

/** A pause that ends after its time or when it is woken. */
export class WakeablePause {
  #waking: AbortController | undefined

  async wait(ms: number): Promise<void> {
    const waking = new AbortController()
    this.#waking = waking
    // It rejects only when `wake` aborts it.
    await sleep(ms, undefined, { signal: waking.signal }).catch(() => undefined)
    if (this.#waking === waking) this.#waking = undefined
  }

  /** Ends the current pause, if there is one. */
  wake(): void {
    this.#waking?.abort()
  }
}
