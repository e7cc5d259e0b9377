const quickDumpMs = 300
const treePatienceMs = 1500
const treeFailureMs = 5000
const longestTreePauseMs = 60_000
const calmAfterLooks = 20
const calmPauseMs = 1000
const wokenPauseMs = 50
const longestTroublePauseMs = 5000

/**
 * When to look again, and at what. A picture costs a fraction of a second, the tree of a real phone seconds: the
 * tree is read once the picture has changed and come to rest. The lane is left alone for at least as long as a look
 * took, so that executions always get through.
 */
export class ScreenPace {
  #picture: string | undefined
  #previous: string | undefined
  #lookBegan = 0
  #calmLooks = 0
  #troubles = 0
  #treePicture: string | undefined
  #treeMs = 0
  #treeNotBefore = 0
  #treeFailed = false
  #wake: (() => void) | undefined
  #woken = false

  beginLook(): void {
    this.#lookBegan = performance.now()
  }

  /** True when it is another picture than the last. */
  sawPicture(picture: string): boolean {
    this.#previous = this.#picture
    this.#picture = picture
    const changed = this.#previous !== picture
    this.#calmLooks = changed ? 0 : this.#calmLooks + 1
    return changed
  }

  treeIsDue(): boolean {
    const now = performance.now()
    if (this.#treePicture === undefined && !this.#treeFailed) return true
    if (this.#treeFailed) return now >= this.#treeNotBefore
    if (this.#picture === this.#treePicture) return false
    const atRest = this.#picture === this.#previous || this.#treeMs < quickDumpMs
    return atRest || now >= this.#treeNotBefore
  }

  treeRead(tookMs: number, well: boolean): void {
    this.#treeMs = tookMs
    this.#treeFailed = !well
    if (well) this.#treePicture = this.#picture
    const pauseMs = well
      ? Math.max(treePatienceMs, 2 * tookMs)
      : Math.max(treeFailureMs, 4 * tookMs)
    this.#treeNotBefore = performance.now() + Math.min(pauseMs, longestTreePauseMs)
  }

  /** Until the next look is due, or somebody wakes it. */
  async rest({ maxFps, well }: { readonly maxFps: number; readonly well: boolean }): Promise<void> {
    this.#troubles = well ? 0 : this.#troubles + 1
    const pauseMs = well ? this.#pauseMs(1000 / maxFps) : this.#troublePauseMs()
    await this.#sleep(this.#woken ? Math.min(pauseMs, wokenPauseMs) : pauseMs)
    this.#woken = false
  }

  /** Something happened: what was put off is worth trying now. */
  wake(): void {
    this.#woken = true
    this.#calmLooks = 0
    this.#treeNotBefore = 0
    this.#wake?.()
  }

  #pauseMs(intervalMs: number): number {
    const tookMs = performance.now() - this.#lookBegan
    const wantedMs =
      this.#calmLooks > calmAfterLooks ? Math.max(intervalMs, calmPauseMs) : intervalMs
    return Math.max(wantedMs - tookMs, Math.min(tookMs, calmPauseMs))
  }

  #troublePauseMs(): number {
    return Math.min(500 * 2 ** this.#troubles, longestTroublePauseMs)
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
