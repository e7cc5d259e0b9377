/** Under load the mirrors take about one part in eight of the time. */
const restPerWork = 7
const longestRestMs = 2000
const spellMs = 20

/** Keeps work that never ends from taking all the time. Somebody who waits lifts it. */
export class Pace {
  #began = performance.now()
  #hurried = false
  #cutShort: (() => void) | undefined
  #resting: Promise<void> | undefined

  begin(): void {
    this.#began = performance.now()
  }

  /** Called often while working: rests once a spell of work is over. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#began >= spellMs) await this.rest()
  }

  /** Rests in proportion to the work since the last rest. Those who work side by side rest together. */
  rest(): Promise<void> {
    this.#resting ??= this.#rest().finally(() => {
      this.#resting = undefined
    })
    return this.#resting
  }

  async #rest(): Promise<void> {
    const worked = performance.now() - this.#began
    await this.pause(Math.min(longestRestMs, restPerWork * worked))
    this.begin()
  }

  /** At least one turn of the loop, whatever the hurry. */
  async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#hurried || ms < 1) {
        setImmediate(resolve)
        return
      }
      const timer = setTimeout(resolve, ms)
      this.#cutShort = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#cutShort = undefined
  }

  hurry(hurried: boolean): void {
    this.#hurried = hurried
    if (hurried) this.#cutShort?.()
  }
}
