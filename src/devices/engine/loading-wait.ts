import { detectLoading } from '../../screen/loading.ts'
import { collectOnScreenNodes, findWindow } from '../../screen/matcher.ts'
import type { EngineExecution } from './engine-execution.ts'
import type { ScreenReading } from './screen-reading.ts'

/** Limits the total time one action waits for loading screens. */
export class LoadingWait {
  readonly #execution: EngineExecution
  #remainingMs = MAX_WAIT_MS

  constructor(execution: EngineExecution) {
    this.#execution = execution
  }

  /** Whether the screen is loading and there is time left to wait for it. */
  shouldWait(reading: ScreenReading | undefined): boolean {
    if (reading === undefined || !isLoading(reading)) return false
    const { alwaysLoading } = this.#execution
    // Some screens always show a progress bar. They are waited for only once.
    if (this.#remainingMs <= 0) alwaysLoading.add(reading.fingerprint)
    return this.#execution.remainingMs() > RESERVE_MS && !alwaysLoading.has(reading.fingerprint)
  }

  async pause(): Promise<void> {
    this.#remainingMs -= PAUSE_MS
    await this.#execution.sleep(PAUSE_MS)
  }
}

export function isLoading({ hierarchy }: ScreenReading): boolean {
  return detectLoading(collectOnScreenNodes(hierarchy.roots, findWindow(hierarchy))) !== null
}

const MAX_WAIT_MS = 12_000
const PAUSE_MS = 500
/** Reserved for a last reading and its result. */
const RESERVE_MS = 2000
