import { setImmediate as nextTurn } from 'node:timers/promises'
import { WakeablePause } from '../../timing/wakeable-pause.ts'

/** Projections use a quarter of the time while the daemon is idle and a sixteenth while it is busy. */
const MIN_REST_PER_WORK = 3
const MAX_REST_PER_WORK = 15
const MAX_REST_MS = 2000
const WORK_SPELL_MS = 20
/** A shorter rest is no measure of how busy the daemon is. */
const MIN_MEASURED_REST_MS = 5

/** Limits the share of time that background work takes. The limit is lifted while a caller waits for the work. */
export class Pace {
  #startedMs = performance.now()
  #hurried = false
  readonly #pause = new WakeablePause()
  #resting: Promise<void> | undefined
  /** How busy the event loop was during the last rest, from 0 to 1. */
  #load = 0

  begin(): void {
    this.#startedMs = performance.now()
  }

  /** Call it often while working. It rests once enough work has been done. */
  async restIfDue(): Promise<void> {
    if (performance.now() - this.#startedMs >= WORK_SPELL_MS) await this.rest()
  }

  /** Rests in proportion to the work since the last rest. Parallel callers share one rest. */
  rest(): Promise<void> {
    this.#resting ??= this.#rest().finally(() => {
      this.#resting = undefined
    })
    return this.#resting
  }

  async #rest(): Promise<void> {
    const worked = performance.now() - this.#startedMs
    const perWork = MIN_REST_PER_WORK + (MAX_REST_PER_WORK - MIN_REST_PER_WORK) * this.#load ** 2
    const before = performance.eventLoopUtilization()
    await this.pause(Math.min(MAX_REST_MS, perWork * worked))
    const { active, idle } = performance.eventLoopUtilization(before)
    if (active + idle >= MIN_MEASURED_REST_MS) this.#load = active / (active + idle)
    this.begin()
  }

  /** Pauses for at least one turn of the event loop, also when hurried. */
  async pause(ms: number): Promise<void> {
    if (this.#hurried || ms < 1) await nextTurn()
    else await this.#pause.wait(ms)
  }

  setHurried(hurried: boolean): void {
    this.#hurried = hurried
    if (hurried) this.#pause.wake()
  }
}
