import { hash } from 'node:crypto'
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
import { asDeviceFailure } from '../devices/device-failure.ts'
import { ScreenPace } from './screen-pace.ts'
import type { ScreenEvent, ScreenViewer } from './screen-viewer.ts'

/** How a feed gets at its device: in the device's lane, like everybody else. */
export interface ScreenFeedDeps {
  look<T>(
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
    work: (driver: Driver, limits: CallLimits) => Promise<T>,
  ): Promise<T>
  snapshot(driver: Driver, limits: CallLimits): Promise<{ readonly snapshot: Snapshot }>
  readonly clock: () => Date
  readonly log: Logger
  /** Called when the last viewer has left and nothing runs any more. */
  onEnd(): void
}

type Condition = Omit<ScreenState, 'schema_version'>

const keptFrames = 8
const pictureLimitMs = 10_000
const treeLimitMs = 20_000
const busyAfterMs = 1000

/** The one producer of a device's screen, for all who watch it. It works as long as somebody does. */
export class ScreenFeed {
  readonly #serial: string
  readonly #edges: ScreenFeedDeps
  readonly #viewers = new Set<ScreenViewer>()
  readonly #frames = new Map<string, Buffer>()
  readonly #latest = new Map<ScreenEvent, string>()
  readonly #stop = new AbortController()
  readonly #pace = new ScreenPace()
  #treeTrouble: Condition | undefined
  #running: Promise<void> | undefined

  constructor(serial: string, edges: ScreenFeedDeps) {
    this.#serial = serial
    this.#edges = edges
  }

  get viewers(): ReadonlySet<ScreenViewer> {
    return this.#viewers
  }

  frame(frameId: string): Buffer | undefined {
    return this.#frames.get(frameId)
  }

  join(viewer: ScreenViewer): void {
    this.#viewers.add(viewer)
    for (const [event, data] of this.#latest) viewer.offer(event, data)
    this.#running ??= this.#run()
  }

  leave(viewer: ScreenViewer): void {
    viewer.leave()
    this.#viewers.delete(viewer)
    if (this.#viewers.size === 0) this.#pace.wake()
  }

  /** Something was done to the phone: look soon. */
  wake(): void {
    this.#pace.wake()
  }

  async close(): Promise<void> {
    this.#stop.abort()
    this.#pace.wake()
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#viewers.size > 0 && !this.#stop.signal.aborted) {
      const well = await this.#lookOnce()
      const maxFps = Math.max(1, ...[...this.#viewers].map((viewer) => viewer.maxFps))
      if (this.#viewers.size > 0) await this.#pace.rest({ maxFps, well })
    }
    // In one turn with the last look at the viewers, so that nobody joins a feed that has ended.
    this.#running = undefined
    this.#edges.onEnd()
  }

  async #lookOnce(): Promise<boolean> {
    this.#pace.beginLook()
    try {
      const shot = await this.#inTurn(pictureLimitMs, (driver, limits) => driver.screenshot(limits))
      this.#show(shot)
    } catch (error) {
      this.#tell(this.#troubleOf(error))
      return false
    }
    if (this.#pace.treeIsDue()) await this.#readTree()
    this.#tell(this.#treeTrouble ?? { state: 'live' })
    return true
  }

  async #readTree(): Promise<void> {
    const began = performance.now()
    try {
      const { snapshot } = await this.#inTurn(treeLimitMs, (driver, limits) =>
        this.#edges.snapshot(driver, limits),
      )
      this.#pace.treeRead(performance.now() - began, true)
      this.#treeTrouble = undefined
      this.#lay(snapshot)
    } catch (error) {
      this.#pace.treeRead(performance.now() - began, false)
      this.#treeTrouble = this.#troubleOf(error)
    }
  }

  /** Waits for the lane; says so when that takes long. */
  async #inTurn<T>(
    timeoutMs: number,
    work: (driver: Driver, limits: CallLimits) => Promise<T>,
  ): Promise<T> {
    let begun = false
    const sayBusy = () => {
      if (!begun) this.#tell(busy)
    }
    const timer = setTimeout(sayBusy, busyAfterMs)
    try {
      return await this.#edges.look({ timeoutMs, signal: this.#stop.signal }, (driver, limits) => {
        begun = true
        return work(driver, limits)
      })
    } catch (error) {
      throw begun || !(error instanceof DOMException) ? error : new NeverItsTurn()
    } finally {
      clearTimeout(timer)
    }
  }

  #show({ png, width, height }: Screenshot): void {
    const frame_id = hash('sha256', png, 'hex').slice(0, 32)
    const changed = this.#pace.sawPicture(frame_id)
    if (!changed) return
    this.#frames.delete(frame_id)
    this.#frames.set(frame_id, png)
    for (const old of this.#frames.keys()) {
      if (this.#frames.size <= keptFrames) break
      this.#frames.delete(old)
    }
    const frame: ScreenFrame = {
      frame_id,
      url: `/api/devices/${encodeURIComponent(this.#serial)}/screen/frames/${frame_id}`,
      width,
      height,
      captured_at: this.#edges.clock().toISOString(),
      schema_version: 1,
    }
    this.#announce('frame', frame)
  }

  #lay(snapshot: Snapshot): void {
    const shown: ScreenElements = {
      snapshot_revision: snapshot.snapshot_revision,
      fingerprint: snapshot.fingerprint,
      foreground: { package: snapshot.package, activity: snapshot.activity },
      elements: elementsOf(snapshot),
      schema_version: 1,
    }
    this.#announce('elements', shown)
  }

  #troubleOf(error: unknown): Condition {
    if (error instanceof NeverItsTurn) return busy
    const failure = asDeviceFailure(error)
    if (failure instanceof Failure) {
      const { code, message } = failure
      return { state: conditions[code] ?? 'unreadable', code, message }
    }
    this.#edges.log.error({ err: error, serial: this.#serial }, 'a live screen failed')
    const message = 'The screen could not be read through a fault of ours.'
    return { state: 'unreadable', code: 'INTERNAL_ERROR', message }
  }

  #tell(state: Condition): void {
    if (this.#stop.signal.aborted) return
    this.#announce('screen_state', { ...state, schema_version: 1 })
  }

  /** Says it only when it is news. */
  #announce(event: ScreenEvent, data: object): void {
    const text = JSON.stringify(data)
    if (this.#latest.get(event) === text) return
    this.#latest.set(event, text)
    for (const viewer of this.#viewers) viewer.offer(event, text)
  }
}

/** The lane was taken for all of the time. */
class NeverItsTurn extends Error {}

const busy = { state: 'busy', message: 'An execution has the phone.' } as const

const conditions: Readonly<Partial<Record<FailureCode, ScreenCondition>>> = {
  DEVICE_UNAUTHORIZED: 'unauthorized',
  DEVICE_OFFLINE: 'offline',
  ADB_SERVER_FAILED: 'offline',
  DEVICE_LOST: 'lost',
  DEVICE_TIMEOUT: 'unresponsive',
}

/** What can be pointed at. The text of a password field goes nowhere. */
function elementsOf(snapshot: Pick<Snapshot, 'elements'>): ScreenElement[] {
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
