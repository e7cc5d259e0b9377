import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type {
  ScreenCondition,
  ScreenElement,
  ScreenElements,
  ScreenFrame,
  ScreenState,
} from '@apprentice/contracts/devices/screen.ts'
import type { Snapshot } from '@apprentice/contracts/devices/snapshot.ts'
import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import type { CallLimits } from '../../devices/adb/call-limits.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import type { Screenshot } from '../../devices/driver/screenshot.ts'
import { Failure } from '../../failure/failure.ts'
import { toDeviceFailure } from '../devices/device-failure.ts'
import type { FrameStore } from './frame-store.ts'
import { ScreenPace } from './screen-pace.ts'
import type { ScreenEvent, ScreenViewer } from './screen-viewer.ts'

export interface ScreenFeedDeps {
  /** Takes pictures without waiting for the queue: a picture changes nothing, and executions are watched by it. */
  readonly driver: Pick<Driver, 'screenshot'>
  /** Whether something runs or waits in the queue of the device. */
  isInUse(): boolean
  /** Runs work in the queue of the device. */
  runInQueue<T>(
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
    work: (driver: Driver, limits: CallLimits) => Promise<T>,
  ): Promise<T>
  readScreen(driver: Driver, limits: CallLimits): Promise<{ readonly snapshot: Snapshot }>
  /** The users for whom the device is kept. Nobody else may see its screen. Empty if all may. */
  listHolders(): readonly string[]
  readonly clock: () => Date
  readonly log: Logger
  /** Where pictures are kept for the viewers. */
  readonly frames: FrameStore
  /** Called when the last viewer has left and the last reading is done. */
  onEnd(): void
}

type Condition = Omit<ScreenState, 'schema_version'>

const PICTURE_TIMEOUT_MS = 10_000
const TREE_TIMEOUT_MS = 20_000
const BUSY_AFTER_MS = 1000

/** Reads the screen of one device and sends it to all its viewers. It runs as long as it has viewers. */
export class ScreenFeed {
  readonly #serial: string
  readonly #deps: ScreenFeedDeps
  readonly #viewers = new Set<ScreenViewer>()
  readonly #latest = new Map<ScreenEvent, string>()
  readonly #stop = new AbortController()
  readonly #pace = new ScreenPace()
  #treeProblem: Condition | undefined
  /** The holders of the device when `#latest` was read. */
  #holders: readonly string[] = []
  #running: Promise<void> | undefined
  /** The tree that is read now. */
  #tree: { readonly stop: AbortController; readonly done: Promise<void> } | undefined
  /** Since when other work has used the device. */
  #inUseSinceMs: number | undefined

  constructor(serial: string, deps: ScreenFeedDeps) {
    this.#serial = serial
    this.#deps = deps
  }

  get viewers(): ReadonlySet<ScreenViewer> {
    return this.#viewers
  }

  join(viewer: ScreenViewer): void {
    this.#viewers.add(viewer)
    this.#updateHolders()
    this.#show(viewer)
    this.#running ??= this.#run()
  }

  leave(viewer: ScreenViewer): void {
    viewer.leave()
    this.#viewers.delete(viewer)
    if (this.#viewers.size === 0) this.#pace.wake()
  }

  /** Takes the next picture at once because a command has just changed the screen. */
  wake(): void {
    this.#pace.wake()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#pace.wake()
    await this.#endTree()
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#viewers.size > 0 && !this.#stop.signal.aborted) {
      const succeeded = await this.#readOnce()
      const maxFps = Math.max(1, ...[...this.#viewers].map((viewer) => viewer.maxFps))
      if (this.#viewers.size > 0) await this.#pace.rest({ maxFps, succeeded })
      if (this.#viewers.size === 0) await this.#endTree()
    }
    // In the same event-loop turn as the last check for viewers: no viewer can join a feed that has ended.
    this.#running = undefined
    this.#deps.onEnd()
  }

  /** Returns whether a picture could be taken, or nobody may see one now. */
  async #readOnce(): Promise<boolean> {
    this.#pace.beginReading()
    this.#updateHolders()
    for (const viewer of this.#viewers) this.#show(viewer)
    if (![...this.#viewers].some(({ principal }) => isShownTo(principal, this.#holders))) return true
    try {
      await this.#sendFrame(await this.#takePicture())
    } catch (error) {
      if (error instanceof HoldersChanged) return true
      this.#sendState(this.#toCondition(error))
      return false
    }
    // The end of a tree reports the state.
    if (this.#tree === undefined) this.#followPicture()
    return true
  }

  /** Reads the tree when it is due and nothing else uses the device, and reports the state. */
  #followPicture(): void {
    const now = performance.now()
    if (this.#deps.isInUse()) {
      this.#inUseSinceMs ??= now
      if (now - this.#inUseSinceMs >= BUSY_AFTER_MS) this.#sendState(BUSY)
      return
    }
    this.#inUseSinceMs = undefined
    if (!this.#pace.isTreeDue()) return this.#sendState(this.#treeProblem ?? LIVE)
    const stop = new AbortController()
    const done = this.#readTree(stop.signal).finally(() => (this.#tree = undefined))
    this.#tree = { stop, done }
  }

  async #takePicture(): Promise<Screenshot> {
    this.#assertSameHolders()
    const shot = await this.#deps.driver.screenshot({ timeoutMs: PICTURE_TIMEOUT_MS, signal: this.#stop.signal })
    this.#assertSameHolders()
    return shot
  }

  /** Pictures go on meanwhile. */
  async #readTree(signal: AbortSignal): Promise<void> {
    const endReading = this.#pace.beginTreeReading()
    try {
      const { snapshot } = await this.#deps.runInQueue(
        { timeoutMs: TREE_TIMEOUT_MS, signal },
        async (driver, limits) => {
          this.#assertSameHolders()
          return this.#deps.readScreen(driver, limits)
        },
      )
      this.#assertSameHolders()
      endReading(true)
      this.#treeProblem = undefined
      this.#sendElements(snapshot)
    } catch (error) {
      if (error instanceof HoldersChanged || signal.aborted) return
      endReading(false)
      this.#treeProblem = this.#toCondition(error)
    }
    this.#sendState(this.#treeProblem ?? LIVE)
  }

  async #endTree(): Promise<void> {
    this.#tree?.stop.abort()
    await this.#tree?.done
  }

  async #sendFrame(shot: Screenshot): Promise<void> {
    const captured_at = this.#deps.clock().toISOString()
    const frame_id = hash('sha256', shot.png, 'hex').slice(0, 32)
    if (!this.#pace.addPicture(frame_id)) return
    const holders = this.#holders
    const change = await this.#deps.frames.add(frame_id, shot, holders)
    if (this.#holders !== holders) {
      this.#deps.frames.forgetNewest()
      throw new HoldersChanged()
    }
    const url = `/api/devices/${encodeURIComponent(this.#serial)}/screen/frames/${frame_id}`
    const frame: ScreenFrame = {
      frame_id,
      url,
      ...(this.#deps.frames.hasJpeg ? { jpeg_url: `${url}/jpeg` } : {}),
      ...(change === undefined ? {} : { change: { ...change, url: `${url}/jpeg?since=${change.since}` } }),
      width: shot.width,
      height: shot.height,
      captured_at,
      schema_version: 1,
    }
    this.#send('frame', frame)
  }

  #sendElements(snapshot: Snapshot): void {
    const elements: ScreenElements = {
      snapshot_revision: snapshot.snapshot_revision,
      fingerprint: snapshot.fingerprint,
      foreground: { package: snapshot.package, activity: snapshot.activity },
      elements: listVisibleElements(snapshot),
      schema_version: 1,
    }
    this.#send('elements', elements)
  }

  #toCondition(error: unknown): Condition {
    // The tree waited in the queue for too long.
    if (error instanceof DOMException) return BUSY
    const failure = toDeviceFailure(error)
    if (failure instanceof Failure) {
      const { code, message } = failure
      return { state: CONDITIONS[code] ?? 'unreadable', code, message }
    }
    this.#deps.log.error({ err: error, serial: this.#serial }, 'reading a live screen failed')
    const message = 'The screen could not be read because of an internal error.'
    return { state: 'unreadable', code: 'INTERNAL_ERROR', message }
  }

  #sendState(state: Condition): void {
    if (this.#stop.signal.aborted) return
    this.#send('screen_state', { ...state, schema_version: 1 })
  }

  #send(event: ScreenEvent, data: object): void {
    // Read for other holders than now.
    if (this.#updateHolders()) return
    this.#latest.set(event, JSON.stringify(data))
    for (const viewer of this.#viewers) this.#show(viewer)
  }

  /** Offers a viewer what was last read, or tells that the device is kept for another user. */
  #show(viewer: ScreenViewer): void {
    if (!isShownTo(viewer.principal, this.#holders)) viewer.withhold(KEPT)
    else for (const [event, data] of this.#latest) viewer.offer(event, data)
  }

  /** Forgets what was read while the device was kept for others than now. Returns whether that is so. */
  #updateHolders(): boolean {
    const holders = this.#deps.listHolders()
    if (isDeepStrictEqual(holders, this.#holders)) return false
    this.#holders = holders
    this.#latest.clear()
    this.#deps.frames.forgetNewest()
    this.#pace.restart()
    return true
  }

  #assertSameHolders(): void {
    if (!isDeepStrictEqual(this.#deps.listHolders(), this.#holders)) throw new HoldersChanged()
  }
}

/** The device was leased or released, or a capture began or ended, while the screen was read. */
class HoldersChanged extends Error {}

const isShownTo = (userId: string, holders: readonly string[]): boolean => holders.every((holder) => holder === userId)

const KEPT = JSON.stringify({
  state: 'busy',
  code: 'DEVICE_LEASED',
  message: 'The phone is kept for another user.',
  schema_version: 1,
} satisfies ScreenState)

const LIVE = { state: 'live' } as const
const BUSY = { state: 'busy', message: 'An execution is using the phone.' } as const

const CONDITIONS: Readonly<Partial<Record<FailureCode, ScreenCondition>>> = {
  DEVICE_UNAUTHORIZED: 'unauthorized',
  DEVICE_OFFLINE: 'offline',
  ADB_SERVER_FAILED: 'offline',
  DEVICE_LOST: 'lost',
  DEVICE_TIMEOUT: 'unresponsive',
}

/** Lists the elements a person can point at, without the texts of password fields. */
function listVisibleElements(snapshot: Pick<Snapshot, 'elements'>): ScreenElement[] {
  return snapshot.elements.flatMap(({ bounds, visible, state, password, ...element }) =>
    bounds === null || !visible
      ? []
      : [
          {
            index: element.index,
            bounds,
            label: password ? '' : element.label,
            role: element.role,
            resource_id: element.resource_id,
            clickable: element.clickable,
            long_clickable: element.long_clickable,
            scrollable: element.scrollable,
            enabled: element.enabled,
            focused: state.focused ?? false,
            password,
          },
        ],
  )
}
