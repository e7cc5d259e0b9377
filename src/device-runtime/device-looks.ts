import type {
  ExpectOutcome,
  ExpectRequest,
  KeptReading,
  WaitOutcome,
  WaitRequest,
} from '@apprentice/contracts/devices/looks.ts'
import type { Snapshot, SnapshotDiff } from '@apprentice/contracts/devices/snapshot.ts'
import type { WaitBaseline } from '@apprentice/contracts/devices/verification.ts'
import { AdbClient } from '../devices/adb/adb-client.ts'
import { type DeviceLog, readDeviceLog } from '../devices/driver/device-log.ts'
import { DeviceShell } from '../devices/shell/device-shell.ts'
import { OperationFailure } from '../devices/adb/operation-failure.ts'
import { diffSnapshots } from '../screen/diff.ts'
import { expectElementVisible, expectState } from '../screen/watch/expect-element.ts'
import { expectScreen } from '../screen/watch/expect-screen.ts'
import type { Watch } from '../screen/watch/observation.ts'
import {
  waitForIdle,
  waitForScreenChange,
  waitForUiChange,
} from '../screen/watch/wait-for-change.ts'
import { waitForUi } from '../screen/watch/wait-for-ui.ts'
import type { Looker } from '../domain/devices/looker.ts'
import { Failure } from '../failure/failure.ts'
import type { DeviceReader } from './devices/device-reader.ts'
import type { DeviceManager } from './devices/device-manager.ts'
import { noteOf, ScreenMemory, type Viewer } from './screen-memory.ts'
import { watchThroughQueue } from './screen-watch.ts'

const logMs = 15_000
/** What an expectation of a whole screen takes at most, by its own rules. */
const screenMs = 3000

interface RememberingWatch extends Watch {
  readonly seen: { readonly last?: Snapshot }
}

export interface LogWindow {
  readonly fromMs: number
  readonly toMs: number
  readonly lines: number
}

/** Waits, expectations and comparisons on devices, for those who ask over HTTP. */
export class DeviceLooks {
  readonly #floor: DeviceManager
  readonly #eyes: DeviceReader
  readonly #clock: () => Date
  readonly #memory = new ScreenMemory()

  constructor(parts: {
    readonly floor: DeviceManager
    readonly eyes: DeviceReader
    readonly clock: () => Date
  }) {
    this.#floor = parts.floor
    this.#eyes = parts.eyes
    this.#clock = parts.clock
  }

  /** Notes what a caller was shown, so that it can serve as a baseline. */
  remember(viewer: Viewer, snapshot: Snapshot): void {
    this.#memory.keepShown(viewer, snapshot, this.#clock().toISOString())
  }

  async wait(looker: Looker, request: WaitRequest): Promise<WaitOutcome> {
    const watch = this.#watch(looker, budgetOf(request))
    switch (request.kind) {
      case 'ui':
        return { kind: 'ui', ...(await waitForUi(watch, request)) }
      case 'idle':
        return { kind: 'idle', ...(await waitForIdle(watch, request)) }
      case 'ui_change': {
        const from = this.#baseline(looker, request.baseline)
        const result = await waitForUiChange(watch, request, from?.digests ?? null)
        if (result.status === 'satisfied') this.#showLast(looker, watch)
        return { kind: 'ui_change', ...result, baseline: from === undefined ? null : noteOf(from) }
      }
      case 'screen_change':
        return this.#screenChange(looker, request, watch)
    }
  }

  async expect(looker: Looker, request: ExpectRequest): Promise<ExpectOutcome> {
    const watch = this.#watch(looker, budgetOf(request))
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

  /** Compares two readings the viewer was shown: those named, else the last two. */
  diff(
    viewer: Viewer,
    named: { readonly before?: number | undefined; readonly after?: number | undefined },
  ): { before: KeptReading; after: KeptReading; diff: SnapshotDiff } {
    const after =
      named.after === undefined
        ? this.#memory.newest(viewer)
        : this.#memory.byRevision(viewer, named.after)
    if (after === undefined) throw notKept('after_revision')
    const before =
      named.before === undefined
        ? this.#memory.previous(viewer, after)
        : this.#memory.byRevision(viewer, named.before)
    if (before === undefined) throw notKept('before_revision')
    return { before: noteOf(before), after: noteOf(after), diff: diffSnapshots(before, after) }
  }

  /** The device's log of a time, read in its lane. */
  async log({ serial, principal, signal }: Looker, window: LogWindow): Promise<DeviceLog> {
    const looking = { principal, signal, timeoutMs: logMs }
    return this.#eyes.look(serial, looking, async (_driver, limits) => {
      const shell = new DeviceShell(new AdbClient(this.#floor.phone.server), serial)
      const hostNow = () => this.#clock().getTime()
      try {
        return await readDeviceLog(shell, { ...window, hostNow }, limits)
      } catch (error) {
        if (!(error instanceof OperationFailure)) throw error
        throw new Failure('LOGCAT_UNAVAILABLE', error.message, { details: { kind: error.code } })
      } finally {
        shell.close()
      }
    })
  }

  #watch(looker: Looker, budgetMs: number): RememberingWatch {
    const seen: { last?: Snapshot } = {}
    const watch = watchThroughQueue(looker, {
      eyes: this.#eyes,
      floor: this.#floor,
      budgetMs,
      onReading: (snapshot) => {
        seen.last = snapshot
        this.#memory.keepGlimpsed(looker, snapshot, this.#clock().toISOString())
      },
    })
    return { ...watch, seen }
  }

  /** Who is told that a change has come goes on from what it came to. */
  #showLast(looker: Looker, { seen }: RememberingWatch): void {
    if (seen.last !== undefined) this.remember(looker, seen.last)
  }

  async #screenChange(
    looker: Looker,
    request: Extract<WaitRequest, { kind: 'screen_change' }>,
    watch: RememberingWatch,
  ): Promise<WaitOutcome> {
    const { baseline, timeout_ms, poll_interval_ms } = request
    const given =
      request.previous_fingerprint ??
      (baseline !== undefined && 'fingerprint' in baseline ? baseline.fingerprint : undefined)
    const from =
      given === undefined
        ? this.#baseline(looker, baseline)
        : this.#memory.byFingerprint(looker, given)
    const previous_fingerprint = given ?? from?.fingerprint
    if (previous_fingerprint === undefined) throw notKept('baseline')
    const wanted = { previous_fingerprint, timeout_ms, poll_interval_ms }
    const result = await waitForScreenChange(watch, wanted)
    if (result.status === 'satisfied') this.#showLast(looker, watch)
    return { kind: 'screen_change', ...result, baseline: from === undefined ? null : noteOf(from) }
  }

  /** The reading a change is measured against; without a name the last one the caller was shown. */
  #baseline(looker: Looker, named: WaitBaseline | undefined): Snapshot | undefined {
    if (named === undefined) return this.#memory.newest(looker)
    const found = this.#namedReading(looker, named)
    if (found === undefined) throw notKept('baseline')
    return found
  }

  #namedReading(looker: Looker, named: WaitBaseline): Snapshot | undefined {
    if ('snapshot_revision' in named) {
      return this.#memory.byRevision(looker, named.snapshot_revision)
    }
    if ('fingerprint' in named) return this.#memory.byFingerprint(looker, named.fingerprint)
    return this.#memory.before(looker, looker.action?.execution.started_at ?? looker.now)
  }
}

function budgetOf(request: WaitRequest | ExpectRequest): number {
  switch (request.kind) {
    case 'ui': {
      const { max_attempts, backoff_ms } = request.retry
      return max_attempts * (request.timeout_ms + backoff_ms)
    }
    case 'screen':
      return screenMs
    case 'state':
      return request.stabilization_window_ms
    case 'idle':
    case 'ui_change':
    case 'screen_change':
    case 'element_visible':
      return request.timeout_ms
  }
}

const notKept = (field: string): Failure =>
  new Failure('BASELINE_NOT_FOUND', 'No such reading of this device was shown to you of late.', {
    details: { field },
  })
