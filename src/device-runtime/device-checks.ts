import type {
  ExpectOutcome,
  ExpectRequest,
  ReadingRef,
  WaitOutcome,
  WaitRequest,
} from '@apprentice/contracts/devices/checks.ts'
import type { DebugSnapshot } from '@apprentice/contracts/devices/find-element.ts'
import type { Snapshot, SnapshotDiff } from '@apprentice/contracts/devices/snapshot.ts'
import type { WaitBaseline } from '@apprentice/contracts/devices/verification.ts'
import type { DeviceLog } from '../devices/driver/device-log.ts'
import { OperationFailure } from '../devices/adb/operation-failure.ts'
import { diffSnapshots } from '../screen/diff.ts'
import { expectElementVisible, expectState } from '../screen/watch/expect-element.ts'
import { expectScreen } from '../screen/watch/expect-screen.ts'
import type { ElementQuery } from '../screen/find-element.ts'
import type { Watch } from '../screen/watch/observation.ts'
import { waitForIdle, waitForScreenChange, waitForUiChange } from '../screen/watch/wait-for-change.ts'
import { waitForUi } from '../screen/watch/wait-for-ui.ts'
import type { CheckContext } from '../domain/devices/check-context.ts'
import { Failure } from '../failure/failure.ts'
import type { DeviceReader } from './devices/device-reader.ts'
import type { DeviceManager } from './devices/device-manager.ts'
import { toKeptReading, ReadingHistory, type Viewer } from './reading-history.ts'
import { type DebugRequest, type ElementSearch, readDebugSnapshot, searchElement } from './device-looks.ts'
import { watchThroughQueue } from './screen-watch.ts'

const LOG_TIMEOUT_MS = 15_000
const LOOK_TIMEOUT_MS = 30_000
/** What counts as a change. Clock times, counters and timers do not. */
const ASPECTS = ['screen', 'structure', 'masked_text', 'state'] as const
/** The longest time an expectation of a whole screen takes. */
const SCREEN_BUDGET_MS = 3000

interface TrackedWatch extends Watch {
  readonly newest: () => Snapshot | undefined
}

export interface DeviceCheckDeps {
  readonly devices: DeviceManager
  readonly deviceReader: DeviceReader
  readonly clock: () => Date
}

export interface LogWindow {
  readonly fromMs: number
  readonly toMs: number
  readonly lines: number
}

/** Waits, expectations, comparisons and logs of devices, as the HTTP routes offer them. */
export class DeviceChecks {
  readonly #deps: DeviceCheckDeps
  readonly #history = new ReadingHistory()

  constructor(deps: DeviceCheckDeps) {
    this.#deps = deps
  }

  /** Stores a reading that was returned to a viewer, as a baseline for later checks. */
  remember(viewer: Viewer, snapshot: Snapshot): void {
    this.#history.addReturned(viewer, snapshot, this.#now())
  }

  async wait(viewer: CheckContext, request: WaitRequest): Promise<WaitOutcome> {
    const watch = this.#createWatch(viewer, readBudget(request))
    switch (request.kind) {
      case 'ui':
        return { kind: 'ui', ...(await waitForUi(watch, request)) }
      case 'idle':
        return { kind: 'idle', ...(await waitForIdle(watch, request)) }
      case 'ui_change': {
        const from = this.#baseline(viewer, request.baseline)
        const result = await waitForUiChange(watch, request, from?.digests ?? null)
        if (result.status === 'satisfied') this.#rememberNewest(viewer, watch)
        return {
          kind: 'ui_change',
          ...result,
          baseline: from === undefined ? null : toKeptReading(from),
        }
      }
      case 'screen_change':
        return this.#waitForScreenChange(viewer, request, watch)
    }
  }

  async expect(viewer: CheckContext, request: ExpectRequest): Promise<ExpectOutcome> {
    const watch = this.#createWatch(viewer, readBudget(request))
    const { action_id: _a, client_request_id: _c, schema_version: _s, ...expected } = request
    switch (expected.kind) {
      case 'screen': {
        const { kind, ...screen } = expected
        return { kind, ...(await expectScreen(watch, screen)) }
      }
      case 'element_visible': {
        const { kind, ...element } = expected
        return { kind, ...(await expectElementVisible(watch, element)) }
      }
      case 'state':
        return { kind: expected.kind, ...(await expectState(watch, expected)) }
    }
  }

  /** Compares the last reading before the action with a new one. */
  async lookAgain(viewer: CheckContext): Promise<{ before: ReadingRef; after: ReadingRef; ui_changed: boolean }> {
    const before = this.#history.findLastUpTo(viewer, viewer.action?.execution.started_at ?? viewer.now)
    if (before === undefined) throw baselineNotFound('ui_changed')
    const { serial, principal, signal } = viewer
    const access = { principal, signal, timeoutMs: LOOK_TIMEOUT_MS }
    const { snapshot: after } = await this.#deps.deviceReader.snapshot(serial, access)
    this.remember(viewer, after)
    const changed = ASPECTS.some((aspect) => before.digests[aspect] !== after.digests[aspect])
    const ui_changed = changed || before.fingerprint !== after.fingerprint || before.activity !== after.activity
    return { before: toKeptReading(before), after: toKeptReading(after), ui_changed }
  }

  /** Compares two readings that were returned to the viewer: the named ones, or the last two. */
  diff(
    viewer: Viewer,
    named: { readonly before?: number | undefined; readonly after?: number | undefined },
  ): { before: ReadingRef; after: ReadingRef; diff: SnapshotDiff } {
    const after =
      named.after === undefined ? this.#history.findNewest(viewer) : this.#history.findByRevision(viewer, named.after)
    if (after === undefined) throw baselineNotFound('after_revision')
    const before =
      named.before === undefined
        ? this.#history.findPrevious(viewer, after)
        : this.#history.findByRevision(viewer, named.before)
    if (before === undefined) throw baselineNotFound('before_revision')
    return {
      before: toKeptReading(before),
      after: toKeptReading(after),
      diff: diffSnapshots(before, after),
    }
  }

  /** Finds the element that words name. Reads again while nothing matches. */
  searchElement(
    viewer: CheckContext,
    { timeout_ms, ...query }: ElementQuery & { timeout_ms: number },
  ): Promise<ElementSearch> {
    return searchElement(this.#createWatch(viewer, timeout_ms), query, timeout_ms)
  }

  /** Reads screen, picture and log together. */
  debugSnapshot(viewer: CheckContext, request: DebugRequest): Promise<DebugSnapshot> {
    const { deviceReader } = this.#deps
    const deps = { deviceReader, now: () => this.#now(), readLog: (window: LogWindow) => this.log(viewer, window) }
    return readDebugSnapshot(deps, viewer, request)
  }

  /** Reads the log of a device for a period, in the queue of the device. */
  async log({ serial, principal, signal }: CheckContext, window: LogWindow): Promise<DeviceLog> {
    const access = { principal, signal, timeoutMs: LOG_TIMEOUT_MS }
    const { devices, deviceReader } = this.#deps
    return deviceReader.withDriver(serial, access, async (_driver, limits) => {
      try {
        return await devices.readLog(serial, window, limits)
      } catch (error) {
        if (!(error instanceof OperationFailure)) throw error
        throw new Failure('LOGCAT_UNAVAILABLE', error.message, { details: { kind: error.code } })
      }
    })
  }

  #createWatch(viewer: CheckContext, budgetMs: number): TrackedWatch {
    let newest: Snapshot | undefined
    const watch = watchThroughQueue(viewer, {
      deviceReader: this.#deps.deviceReader,
      budgetMs,
      onReading: (snapshot) => {
        newest = snapshot
        this.#history.addPolled(viewer, snapshot, this.#now())
      },
    })
    return { ...watch, newest: () => newest }
  }

  /** The screen that satisfied a wait becomes the viewer's baseline. */
  #rememberNewest(viewer: CheckContext, { newest }: TrackedWatch): void {
    const snapshot = newest()
    if (snapshot !== undefined) this.remember(viewer, snapshot)
  }

  async #waitForScreenChange(
    viewer: CheckContext,
    request: Extract<WaitRequest, { kind: 'screen_change' }>,
    watch: TrackedWatch,
  ): Promise<WaitOutcome> {
    const { baseline, timeout_ms, poll_interval_ms } = request
    const given =
      request.previous_fingerprint ??
      (baseline !== undefined && 'fingerprint' in baseline ? baseline.fingerprint : undefined)
    const from = given === undefined ? this.#baseline(viewer, baseline) : this.#history.findByFingerprint(viewer, given)
    const previous_fingerprint = given ?? from?.fingerprint
    if (previous_fingerprint === undefined) throw baselineNotFound('baseline')
    const result = await waitForScreenChange(watch, {
      previous_fingerprint,
      timeout_ms,
      poll_interval_ms,
    })
    if (result.status === 'satisfied') this.#rememberNewest(viewer, watch)
    return {
      kind: 'screen_change',
      ...result,
      baseline: from === undefined ? null : toKeptReading(from),
    }
  }

  /** Finds the reading a change is compared with: the named one, or the last one returned to the viewer. */
  #baseline(viewer: CheckContext, named: WaitBaseline | undefined): Snapshot | undefined {
    if (named === undefined) return this.#history.findNewest(viewer)
    const found = this.#findNamed(viewer, named)
    if (found === undefined) throw baselineNotFound('baseline')
    return found
  }

  #findNamed(viewer: CheckContext, named: WaitBaseline): Snapshot | undefined {
    if ('snapshot_revision' in named) {
      return this.#history.findByRevision(viewer, named.snapshot_revision)
    }
    if ('fingerprint' in named) return this.#history.findByFingerprint(viewer, named.fingerprint)
    return this.#history.findLastUpTo(viewer, viewer.action?.execution.started_at ?? viewer.now)
  }

  #now(): string {
    return this.#deps.clock().toISOString()
  }
}

function readBudget(request: WaitRequest | ExpectRequest): number {
  switch (request.kind) {
    case 'ui': {
      const { max_attempts, backoff_ms } = request.retry
      return max_attempts * (request.timeout_ms + backoff_ms)
    }
    case 'screen':
      return SCREEN_BUDGET_MS
    case 'state':
      return request.stabilization_window_ms
    case 'idle':
    case 'ui_change':
    case 'screen_change':
    case 'element_visible':
      return request.timeout_ms
  }
}

const baselineNotFound = (field: string): Failure =>
  new Failure(
    'BASELINE_NOT_FOUND',
    'No such reading of this device was returned to you recently. Take a snapshot first.',
    {
      details: { field },
    },
  )
