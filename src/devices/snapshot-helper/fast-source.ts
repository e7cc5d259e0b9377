import { startBudget } from '../adb/call-limits.ts'
import type { Budget, CallLimits } from '../adb/call-limits.ts'
import { TransportFailure } from '../adb/transport-failure.ts'
import { UiautomatorSource } from '../driver/ui-source.ts'
import type { UiSource } from '../driver/ui-source.ts'
import { parseRotation } from '../driver/fact-parsers.ts'
import type { DeviceAddress } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import type { UiDump } from '../shell/dump-text.ts'
import { parseHierarchyInTurns } from '../../screen/tree/hierarchy.ts'
import { UncheckedScreens } from './check-states.ts'
import { findActiveRoot, printAsDump } from './dump-form.ts'
import { HelperFailure } from './helper-failure.ts'
import type { HelperFailureKind } from './helper-failure.ts'
import { HelperSession } from './helper-session.ts'
import { isSnapshotHelperReady } from './preparation-marks.ts'
import { SourceReport } from './source-report.ts'
import type { SourceState } from './source-report.ts'

export interface FastSourceOptions {
  /** How long the helper keeps running without a reading. Meanwhile no other program can read screens. */
  readonly idleMs?: number
  readonly now?: () => number
}

const IDLE_MS = 30_000
const START_TIMEOUT_MS = 6000
const READ_TIMEOUT_MS = 6000
const STOP_TIMEOUT_MS = 2000
const MAX_PAUSE_MS = 60_000
/** Left for `uiautomator dump` if the helper fails. */
const DUMP_SHARE = 0.5

/**
 * Reads screens with the snapshot helper where a device was prepared for it, and with `uiautomator dump` on other devices,
 * after each failure of the helper, and where the helper does not tell enough. The report says which and why.
 */
export class FastSource implements UiSource {
  readonly #runner: CommandRunner
  readonly #device: DeviceAddress
  readonly #slow: UiSource
  readonly #idleMs: number
  readonly #now: () => number
  readonly #report: SourceReport
  readonly #screens = new UncheckedScreens()
  #isReady: boolean | undefined
  #session: HelperSession | undefined
  #idleTimer: NodeJS.Timeout | undefined
  /** The screen had something that can be checked when it was dumped last. */
  #hasCheckable = false
  #failures = 0
  #pausedUntilMs = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(runner: CommandRunner, device: DeviceAddress, options: FastSourceOptions = {}) {
    this.#runner = runner
    this.#device = device
    this.#slow = new UiautomatorSource(runner)
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#now = options.now ?? (() => performance.now())
    this.#report = new SourceReport()
  }

  get state(): SourceState {
    return this.#report.state
  }

  /** Runs one reading at a time: a dump fails while the helper reads, and the other way round. */
  dump(limits: CallLimits): Promise<UiDump> {
    const budget = startBudget(limits)
    const previous = this.#last
    const turn = this.#readInTurn(previous, budget)
    this.#last = Promise.allSettled([previous, turn])
    return turn
  }

  /** Forgets what is known about the device: it was connected, prepared or restored to what it was. */
  async reset(): Promise<void> {
    this.#isReady = undefined
    this.#failures = 0
    this.#pausedUntilMs = 0
    await this.#stopSession()
  }

  async #readInTurn(previous: Promise<unknown>, budget: Budget): Promise<UiDump> {
    await previous
    const startedMs = this.#now()
    if (await this.#mayUseHelper(budget)) {
      try {
        const xml = await this.#readWithHelper(budget)
        this.#failures = 0
        this.#report.read('helper', this.#now() - startedMs)
        return { outcome: 'ok', xml }
      } catch (error) {
        await this.#handleFailure(toHelperFailure(error))
      }
    }
    return this.#readWithDump(budget)
  }

  async #mayUseHelper(budget: Budget): Promise<boolean> {
    if (this.#isReady === false || this.#hasCheckable || this.#now() < this.#pausedUntilMs) return false
    this.#isReady ??= await isSnapshotHelperReady(this.#runner, budget.remainingLimits())
    return this.#isReady
  }

  async #readWithHelper(budget: Budget): Promise<string> {
    clearTimeout(this.#idleTimer)
    if (this.#session === undefined || this.#session.ended) {
      this.#session = await HelperSession.start(this.#device, toPart(budget, START_TIMEOUT_MS))
    }
    const limits = toPart(budget, READ_TIMEOUT_MS)
    const [reply, rotation] = await Promise.all([this.#session.ask('snapshot', limits), this.#readRotation(limits)])
    this.#idleTimer = setTimeout(() => void this.#stopSession(), this.#idleMs).unref()
    if (reply.headers.get('truncated') === 'true') throw new HelperFailure('too_large', 'the tree has too many nodes')
    const read = await parseHierarchyInTurns(reply.body)
    if (!read.ok) throw new HelperFailure('invalid_answer', read.message)
    const root = findActiveRoot(read.hierarchy)
    if (root === undefined) throw new HelperFailure('no_active_window', 'no window of the answer is active')
    if (!this.#screens.isEnough(root)) throw new HelperFailure('check_states', 'the screen may have switches')
    return printAsDump(read.hierarchy, root, rotation)
  }

  /** The helper always says 0. */
  async #readRotation(limits: CallLimits): Promise<number> {
    const { stdout } = await this.#runner.run("dumpsys display | grep -E 'mCurrentOrientation='", limits)
    return parseRotation(stdout.toString('utf8')) ?? 0
  }

  async #readWithDump(budget: Budget): Promise<UiDump> {
    const startedMs = this.#now()
    const dump = await this.#slow.dump(budget.remainingLimits())
    this.#report.read('dump', this.#now() - startedMs)
    if (dump.outcome !== 'ok' || this.#isReady !== true) return dump
    const read = await parseHierarchyInTurns(dump.xml)
    const root = read.ok ? read.hierarchy.roots[0] : undefined
    if (root !== undefined) this.#hasCheckable = !this.#screens.learn(root)
    return dump
  }

  /** Lets the dump have the device, and the helper rest for longer after each failure. */
  async #handleFailure(failure: HelperFailure): Promise<void> {
    this.#report.failed(failure)
    this.#failures += 1
    // A new screen with controls is dumped once; one whose words change all the time would be each time.
    const isExpected = failure.kind === 'check_states' && this.#failures <= 3
    if (!isExpected) this.#pausedUntilMs = this.#now() + Math.min(MAX_PAUSE_MS, 1000 * 2 ** this.#failures)
    if (failure.kind === 'not_installed') this.#isReady = undefined
    await this.#stopSession()
  }

  async #stopSession(): Promise<void> {
    clearTimeout(this.#idleTimer)
    const session = this.#session
    this.#session = undefined
    await session?.stop({ timeoutMs: STOP_TIMEOUT_MS })
  }
}

function toPart(budget: Budget, mostMs: number): CallLimits {
  const limits = budget.remainingLimits()
  return { ...limits, timeoutMs: Math.min(mostMs, limits.timeoutMs * DUMP_SHARE) }
}

/** A lost device and an aborted call are no failures of the helper. */
function toHelperFailure(error: unknown): HelperFailure {
  if (error instanceof HelperFailure) return error
  const kind = error instanceof TransportFailure ? FAILURE_KINDS[error.kind] : undefined
  if (kind === undefined || !(error instanceof Error)) throw error
  return new HelperFailure(kind, error.message)
}

const FAILURE_KINDS: Readonly<Record<string, HelperFailureKind>> = {
  deadline: 'slow',
  stream_refused: 'unreachable',
  protocol_error: 'unreachable',
}
