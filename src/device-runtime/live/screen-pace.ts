import { backoffMs } from '../../timing/backoff.ts'
import { WakeablePause } from '../../timing/wakeable-pause.ts'

/** A tree that was read faster than this is cheap enough to read while the picture still changes. */
const FAST_TREE_MS = 300
const MIN_TREE_PAUSE_MS = 1500
const MIN_TREE_FAILURE_PAUSE_MS = 5000
const MAX_TREE_PAUSE_MS = 60_000
/** After this many equal pictures in a row the pauses get longer. */
const CALM_AFTER_PICTURES = 20
const CALM_PAUSE_MS = 1000
const FAILURE_BACKOFF = { firstMs: 500, maxMs: 5000 }

/**
 * Decides when the next picture or UI tree is due. A picture takes a fraction of a second, the tree of a real phone
 * takes seconds, so the tree is read once the picture has changed and is stable again. The pause is at least as long
 * as the last reading, so that executions can use the queue of the device.
 */
export class ScreenPace {
  #picture: string | undefined
  #previous: string | undefined
  #readingStartedMs = 0
  #equalPictures = 0
  #failures = 0
  #treePicture: string | undefined
  #treeMs = 0
  #treeNotBefore = 0
  #treeFailed = false
  readonly #pause = new WakeablePause()
  #woken = false

  beginReading(): void {
    this.#readingStartedMs = performance.now()
  }

  /** Returns whether the picture differs from the last one. */
  addPicture(picture: string): boolean {
    this.#previous = this.#picture
    this.#picture = picture
    const changed = this.#previous !== picture
    this.#equalPictures = changed ? 0 : this.#equalPictures + 1
    return changed
  }

  /** Makes a picture and a tree due as at the start. */
  restart(): void {
    this.#picture = undefined
    this.#previous = undefined
    this.#treePicture = undefined
    this.#treeFailed = false
    this.#treeNotBefore = 0
  }

  isTreeDue(): boolean {
    const now = performance.now()
    if (this.#treePicture === undefined && !this.#treeFailed) return true
    if (this.#treeFailed) return now >= this.#treeNotBefore
    if (this.#picture === this.#treePicture) return false
    const isStable = this.#picture === this.#previous || this.#treeMs < FAST_TREE_MS
    return isStable || now >= this.#treeNotBefore
  }

  /** Call the returned function when the tree was read, or could not be. */
  beginTreeReading(): (succeeded: boolean) => void {
    const startedMs = performance.now()
    const picture = this.#picture
    return (succeeded) => {
      const tookMs = performance.now() - startedMs
      this.#treeMs = tookMs
      this.#treeFailed = !succeeded
      if (succeeded) this.#treePicture = picture
      const pauseMs = succeeded
        ? Math.max(MIN_TREE_PAUSE_MS, 2 * tookMs)
        : Math.max(MIN_TREE_FAILURE_PAUSE_MS, 4 * tookMs)
      this.#treeNotBefore = performance.now() + Math.min(pauseMs, MAX_TREE_PAUSE_MS)
    }
  }

  /** Pauses until the next reading is due or `wake` is called. */
  async rest({ maxFps, succeeded }: { readonly maxFps: number; readonly succeeded: boolean }): Promise<void> {
    this.#failures = succeeded ? 0 : this.#failures + 1
    const pauseMs = succeeded ? this.#pauseMs(1000 / maxFps) : this.#failurePauseMs()
    if (!this.#woken) await this.#pause.wait(pauseMs)
    this.#woken = false
  }

  /** Ends the pause and makes a tree due that was put off. */
  wake(): void {
    this.#woken = true
    this.#equalPictures = 0
    this.#treeNotBefore = 0
    this.#pause.wake()
  }

  #pauseMs(intervalMs: number): number {
    const tookMs = performance.now() - this.#readingStartedMs
    const targetMs = this.#equalPictures > CALM_AFTER_PICTURES ? Math.max(intervalMs, CALM_PAUSE_MS) : intervalMs
    return Math.max(targetMs - tookMs, Math.min(tookMs, CALM_PAUSE_MS))
  }

  #failurePauseMs(): number {
    return backoffMs(FAILURE_BACKOFF, this.#failures)
  }
}
