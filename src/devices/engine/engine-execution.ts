import type { Action } from '@apprentice/contracts/devices/action.ts'
import type { Execution } from '@apprentice/contracts/devices/execution.ts'
import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'
import { pause } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { Driver } from '../driver/driver.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import type { EngineHost } from './engine-host.ts'
import { type AppLanguage, Claims } from './claims.ts'
import { Dismissals } from './dismissals.ts'
import { ObstructionLog } from './obstruction-log.ts'
import { RunHistory } from './run-history.ts'
import { type ScreenReadResult, type ScreenReading, parseDump } from './screen-reading.ts'
import { compareLanguage, isFloatingWindow } from '../../screen/page-layout.ts'
import { attribute } from '../../screen/tree/hierarchy.ts'
import { findOtherAccount } from '../../screen/account-marks.ts'
import { OutOfTime, StepFailure } from './step-failure.ts'
import { listGivenTexts, listPackages } from './workflow-targets.ts'

/**
 * The state of one execution: its time, its device and its last screen reading. All methods reject with
 * the reason of the signal once it aborts, and with `OutOfTime` once the time limit has passed.
 */
export class EngineExecution {
  readonly host: EngineHost
  /** The error the current step would fail with now. Reported if the time runs out. */
  lastError: string | undefined
  readonly dismissals: Dismissals
  readonly obstructions = new ObstructionLog()
  readonly history = new RunHistory()
  readonly claims = new Claims()
  /** The apps that the actions name. */
  readonly packages: ReadonlySet<string>
  /** The texts that the actions type or look for. */
  readonly given: readonly string[]
  /** The landmarks that were not restored yet. */
  readonly landmarks: Set<NodeMatcher>
  language: AppLanguage = 'unknown'
  /** The outcome was there before the run, so no claim about it needs to be new. */
  wasThereBefore = false
  /** The obstructions the current step has dismissed, and how. */
  dismissed: Dismissed[] = []
  /** The current action and the next ones. A window that they use is not an obstruction. */
  upcoming: readonly Action[] = []
  /** All later actions. */
  following: readonly Action[] = []
  /** Fingerprints of screens that kept loading beyond the maximum wait. */
  readonly alwaysLoading = new Set<string>()
  readonly #accounts: NonNullable<Execution['accounts']>
  readonly #words: NonNullable<Execution['words']>
  /** The texts of the pages so far, and whether the demonstration showed them. */
  readonly #pageTexts = new Map<string, boolean>()
  #action: Action | undefined
  readonly #startedAt: number
  #latest: ScreenReading | undefined
  #reusable: ScreenReading | undefined
  #shortestReadMs = Infinity

  constructor(
    host: EngineHost,
    payload: Pick<Execution, 'actions' | 'dismissals' | 'landmarks' | 'accounts' | 'words'>,
  ) {
    const { actions, dismissals = [], landmarks = [] } = payload
    this.host = host
    this.dismissals = new Dismissals(dismissals)
    this.packages = listPackages(actions)
    this.given = listGivenTexts(actions)
    this.landmarks = new Set(landmarks)
    this.#accounts = payload.accounts ?? []
    this.#words = payload.words ?? []
    this.#startedAt = this.now()
  }

  /** The current action. */
  get action(): Action {
    if (this.#action === undefined) throw new Error('No step has started.')
    return this.#action
  }

  get driver(): Driver {
    return this.host.driver
  }

  now(): number {
    return (this.host.now ?? readMonotonicTime)()
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

  /** A reading of the previous step may be reused if it is recent enough. */
  startStep(action: Action, following: readonly Action[] = []): void {
    this.#action = action
    this.following = following
    this.upcoming = [action, ...following.slice(0, LOOK_AHEAD)]
    this.lastError = undefined
    this.dismissed = []
    this.obstructions.startStep()
    const age = this.#latest === undefined ? Infinity : this.now() - this.#latest.times.finishedMs
    this.#reusable = age <= FRESH_MS ? this.#latest : undefined
  }

  /** The time that the fastest reading of this execution took, 0 before the first one. */
  get shortestReadMs(): number {
    return Number.isFinite(this.#shortestReadMs) ? this.#shortestReadMs : 0
  }

  /** Stores a reading that this step may reuse. */
  setReusableReading(reading: ScreenReading): void {
    this.#reusable = reading
  }

  /** Returns the reusable reading once. Use it only to find what to act on; values are always read anew. */
  takeReusableReading(): ScreenReading | undefined {
    const reading = this.#reusable
    this.#reusable = undefined
    return reading
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

  /** Runs a command that does not change the device. */
  async query<T>(work: (driver: Driver, limits: CallLimits) => Promise<T>): Promise<T> {
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

  /** Runs a command that changes the device. Discards earlier readings. */
  async command<T>(work: (driver: Driver, limits: CallLimits) => Promise<T>): Promise<T> {
    this.#latest = undefined
    this.#reusable = undefined
    const answer = await this.query(work)
    this.host.onCommand?.()
    return answer
  }

  /** What was learned for one account must not be done for another. */
  #refuseOtherAccount(reading: ScreenReading): void {
    if (this.#accounts.length === 0 || findOtherAccount(reading.hierarchy.nodes, this.#accounts) === undefined) return
    throw new StepFailure('ACCOUNT_DIFFERS', 'Another account is signed in than in the demonstration.', {
      seen: reading,
    })
  }

  /** One page in the language of the demonstration is enough to know it. */
  #noteLanguage({ hierarchy, package: shown }: ScreenReading): void {
    const root = hierarchy.roots.find((one) => attribute(one, 'package') === shown)
    if (this.language === 'same' || root === undefined || isFloatingWindow(root)) return
    if (this.packages.size > 0 && !this.packages.has(shown)) return
    this.language = compareLanguage(root, this.#words, this.#pageTexts) ?? this.language
  }

  /** Reads the screen once. */
  async dumpScreen(): Promise<ScreenReadResult> {
    const startedMs = this.now()
    const dump = await this.query((driver, limits) => driver.dump(limits))
    const times = { serial: this.driver.serial, startedMs, finishedMs: this.now() }
    this.#shortestReadMs = Math.min(this.#shortestReadMs, times.finishedMs - times.startedMs)
    const result = await parseDump(dump, times)
    this.#latest = result.ok ? result.reading : undefined
    if (result.ok) this.history.add(result.reading)
    if (result.ok) this.host.onReading?.(result.reading)
    if (result.ok) this.#noteLanguage(result.reading)
    if (result.ok) this.#refuseOtherAccount(result.reading)
    return result
  }
}

/** An obstruction that was left: what it said and how. */
export interface Dismissed {
  readonly label: string
  readonly by: string
  readonly signature?: string
}

/** The time since the epoch, unaffected by clock corrections. */
function readMonotonicTime(): number {
  return performance.timeOrigin + performance.now()
}

/** How many later steps may use a window that the current step does not use. */
const LOOK_AHEAD = 3

/** Timers are not exact. With less than this left, the time limit counts as passed. */
const SLACK_MS = 100

/** A dump alone may take ten seconds. */
const CALL_TIMEOUT_MS = 20_000

/** About the time that always passes between a reading and the following touch. */
const FRESH_MS = 250
