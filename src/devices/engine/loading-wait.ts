import { loadingState } from '../../screen/loading.ts'
import { onScreenNodes, windowOf } from '../../screen/matcher.ts'
import type { EngineRun } from './engine-run.ts'
import type { ScreenReading } from './screen-reading.ts'

/** How long one action goes on waiting for content, all its waits together. */
export class LoadingWait {
  readonly #run: EngineRun
  #leftMs = MAX_WAIT_MS

  constructor(run: EngineRun) {
    this.#run = run
  }

  /** Whether it is worth to wait on this screen: it is loading, and neither patience nor time is used up. */
  isWorthIt(reading: ScreenReading | undefined): boolean {
    if (reading === undefined || !isLoading(reading)) return false
    const { alwaysBusy } = this.#run
    // Some screens show a progress bar for ever: they are waited for once.
    if (this.#leftMs <= 0) alwaysBusy.add(reading.fingerprint)
    return this.#run.remainingMs() > RESERVE_MS && !alwaysBusy.has(reading.fingerprint)
  }

  async pause(): Promise<void> {
    this.#leftMs -= PAUSE_MS
    await this.#run.sleep(PAUSE_MS)
  }
}

export function isLoading({ hierarchy }: ScreenReading): boolean {
  return loadingState(onScreenNodes(hierarchy.roots, windowOf(hierarchy))) !== null
}

const MAX_WAIT_MS = 12_000
const PAUSE_MS = 500
/** Enough for a last look, and for saying what it showed. */
const RESERVE_MS = 2000
