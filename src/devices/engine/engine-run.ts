import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { pause } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { Driver } from '../driver/driver.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import type { EngineHost } from './engine-host.ts'
import { Dismissals } from './dismissals.ts'
import { type Look, type ScreenReading, interpretLook } from './screen-reading.ts'
import { OutOfTime } from './step-failure.ts'

/**
 * One execution under way: its time, its device and its last look at the screen. Everything rejects
 * with the signal's reason once that aborts, and with `OutOfTime` once the time is used up.
 */
export class EngineRun {
  readonly host: EngineHost
  /** What the present step would fail with now; kept for the case that its time runs out. */
  lastError: string | undefined
  readonly dismissals: Dismissals
  /** What the present step touched to get it out of the way. */
  dismissed: string[] = []
  /** Screens that went on loading for longer than anybody waits, by their fingerprints. */
  readonly alwaysBusy = new Set<string>()
  #action: Action | undefined
  readonly #startedAt: number
  #latest: ScreenReading | undefined
  #offered: ScreenReading | undefined

  constructor(host: EngineHost, dismissals: readonly NodeMatcher[] = []) {
    this.host = host
    this.dismissals = new Dismissals(dismissals)
    this.#startedAt = this.now()
  }

  /** The one under way. */
  get action(): Action {
    if (this.#action === undefined) throw new Error('No step has begun.')
    return this.#action
  }

  get driver(): Driver {
    return this.host.driver
  }

  now(): number {
    return (this.host.now ?? steadyNow)()
  }

  random(): number {
    return (this.host.random ?? Math.random)()
  }

  elapsedMs(): number {
    return this.now() - this.#startedAt
  }

  remainingMs(): number {
    return Math.max(0, this.host.timeoutMs - this.elapsedMs())
  }

  /** A look of the step before may serve this one, if it is as good as one taken now. */
  beginStep(action: Action): void {
    this.#action = action
    this.lastError = undefined
    this.dismissed = []
    const age = this.#latest === undefined ? Infinity : this.now() - this.#latest.times.finishedMs
    this.#offered = age <= FRESH_MS ? this.#latest : undefined
  }

  /** A look that was taken for this step, before it acts. */
  offer(reading: ScreenReading): void {
    this.#offered = reading
  }

  /** That look, once. Only for finding what to act on: what is read out is always read anew. */
  takeOffered(): ScreenReading | undefined {
    const offered = this.#offered
    this.#offered = undefined
    return offered
  }

  async sleep(ms: number): Promise<void> {
    const { signal } = this.host
    signal.throwIfAborted()
    const remaining = this.remainingMs()
    try {
      await (this.host.sleep ?? pause)(Math.min(ms, remaining), signal)
    } catch (error) {
      signal.throwIfAborted()
      throw error
    }
    signal.throwIfAborted()
    if (ms >= remaining) throw new OutOfTime()
  }

  /** A command that leaves the device as it is. */
  async ask<T>(work: (driver: Driver, limits: CallLimits) => Promise<T>): Promise<T> {
    const { signal, callTimeoutMs = CALL_TIMEOUT_MS } = this.host
    signal.throwIfAborted()
    const remaining = this.remainingMs()
    if (remaining <= 0) throw new OutOfTime()
    try {
      const answer = await work(this.driver, {
        timeoutMs: Math.min(remaining, callTimeoutMs),
        signal,
      })
      signal.throwIfAborted()
      return answer
    } catch (error) {
      signal.throwIfAborted()
      const late = error instanceof TransportFailure && error.kind === 'deadline'
      if (late && this.remainingMs() <= SLACK_MS) throw new OutOfTime(error.commandSent)
      throw error
    }
  }

  /** A command that changes the device: earlier looks at the screen no longer count. */
  act<T>(work: (driver: Driver, limits: CallLimits) => Promise<T>): Promise<T> {
    this.#latest = undefined
    this.#offered = undefined
    return this.ask(work)
  }

  /** One dump. */
  async look(): Promise<Look> {
    const startedMs = this.now()
    const dump = await this.ask((driver, limits) => driver.dump(limits))
    const times = { serial: this.driver.serial, startedMs, finishedMs: this.now() }
    const look = interpretLook(dump, times)
    this.#latest = look.ok ? look.reading : undefined
    if (look.ok) this.host.onLook?.(look.reading)
    return look
  }
}

/** The time of day that no correction of the clock can turn back or forth. */
function steadyNow(): number {
  return performance.timeOrigin + performance.now()
}

/** Timers are not exact: so close to its end the time counts as used up. */
const SLACK_MS = 100

/** A device that is silent for this long has hung. A dump alone may take ten seconds. */
const CALL_TIMEOUT_MS = 20_000

/** No older than the time that passes anyway between a look and the touch that follows it. */
const FRESH_MS = 250
