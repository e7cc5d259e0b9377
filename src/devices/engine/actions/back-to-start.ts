import { findObstruction } from '../../../screen/obstruction/obstruction.ts'
import { hasAgreeControl } from '../../../screen/obstruction/dismiss-control.ts'
import { readPanel } from '../../../screen/obstruction/panel.ts'
import { assertAdmitted } from '../admission.ts'
import type { EngineExecution } from '../engine-execution.ts'
import { isLoading } from '../loading-wait.ts'
import type { ScreenReading } from '../screen-reading.ts'
import { sendGesture } from '../touch.ts'

/** Presses Back to return from where the app resumed. Never leaves the app for good, and never with a question open. */
export class BackToStart {
  readonly #execution: EngineExecution
  readonly #startedMs: number
  #presses = 0
  #package: string | undefined

  constructor(execution: EngineExecution) {
    this.#execution = execution
    this.#startedMs = execution.now()
  }

  /** Presses Back if that can help. Returns true if the screen must be read again. */
  async press(reading: ScreenReading): Promise<boolean> {
    if (this.#package !== undefined && reading.package !== this.#package) return this.#reopen(this.#package)
    if (!this.#mayPress(reading)) return false
    await assertAdmitted(this.#execution)
    this.#package = reading.package
    this.#presses += 1
    const press = () => sendGesture(this.#execution, (driver, limits) => driver.keyevent('back', limits))
    await this.#execution.history.ignoring(press)
    await this.#execution.sleep(SETTLE_MS)
    return true
  }

  get presses(): number {
    return Math.min(this.#presses, MAX_PRESSES)
  }

  #mayPress(reading: ScreenReading): boolean {
    const { packages } = this.#execution
    const waitedMs = this.#execution.now() - this.#startedMs
    if (this.#presses >= MAX_PRESSES || waitedMs < PATIENCE_MS) return false
    if (!packages.has(reading.package) || isLoading(reading)) return false
    const cover = findObstruction(reading.hierarchy, packages)?.root
    return cover === undefined || !hasAgreeControl(readPanel(cover))
  }

  /** Back left the app: it was on its first screen. */
  async #reopen(packageName: string): Promise<boolean> {
    if (this.#presses > MAX_PRESSES) return false
    this.#presses = MAX_PRESSES + 1
    await this.#execution.command((driver, limits) => driver.openApp(packageName, limits))
    await this.#execution.sleep(SETTLE_MS)
    return true
  }
}

const MAX_PRESSES = 3
/** The start screen may still be opening. */
const PATIENCE_MS = 1500
const SETTLE_MS = 400
