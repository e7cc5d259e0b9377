/** Of the time, the mirrors take a quarter while nobody else needs it, and a sixteenth while others need all. */
const leastRestPerWork = 3
const mostRestPerWork = 15
const longestRestMs = 2000
const spellMs = 20
/** A shorter rest tells nothing of how busy others are. */
const fairRestMs = 5

/** Keeps work that never ends from taking all the time. Somebody who waits lifts it. */
export class Pace {
  #began = performance.now()
  #hurried = false
  #cutShort: (() => void) | undefined
  #resting: Promise<void> | undefined
  /** The part of the last rest in which others worked. */
  #others = 0

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
    const perWork = leastRestPerWork + (mostRestPerWork - leastRestPerWork) * this.#others ** 2
    const before = performance.eventLoopUtilization()
    await this.pause(Math.min(longestRestMs, perWork * worked))
    const { active, idle } = performance.eventLoopUtilization(before)
    if (active + idle >= fairRestMs) this.#others = active / (active + idle)
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
