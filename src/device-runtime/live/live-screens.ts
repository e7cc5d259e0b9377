import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import type { DeviceReader } from '../devices/device-reader.ts'
import { FrameStore } from './frame-store.ts'
import { ScreenFeed } from './screen-feed.ts'
import { toAction } from './screen-input.ts'
import { ScreenViewer, type Sink } from './screen-viewer.ts'

export interface LiveScreensDeps {
  readonly devices: DeviceManager
  readonly deviceReader: DeviceReader
  readonly clock: () => Date
  readonly log: Logger
  readonly config: Config
}

export interface ViewerOptions {
  /** The user who watches, by whom streams are counted. */
  readonly principal: string
  readonly maxFps: number
}

/** All live screens share one place in the queue of a device. */
const PRINCIPAL = 'live-screen'

const KEEP_FRAMES_MS = 2000

/** The screens that are streamed now, one feed per device. Nothing is stored. */
export class LiveScreens {
  readonly toAction = toAction
  readonly #deps: LiveScreensDeps
  readonly #feeds = new Map<string, ScreenFeed>()
  /** They outlast their feed for a moment: a viewer that leaves may just be fetching a picture that was announced. */
  readonly #frames = new Map<string, FrameStore>()
  readonly #keepAlive: NodeJS.Timeout

  constructor(deps: LiveScreensDeps) {
    this.#deps = deps
    deps.devices.onCommand((serial) => this.#feeds.get(serial)?.wake())
    this.#keepAlive = setInterval(() => {
      for (const viewer of this.#viewers()) viewer.keepAlive()
    }, deps.config.settings.limits.stream_keepalive_ms)
    this.#keepAlive.unref()
  }

  /** Adds a viewer to the screen of a device. Returns a function that removes it. */
  watch(serial: string, sink: Sink, options: ViewerOptions): () => void {
    const viewer = new ScreenViewer(sink, options)
    const feed = this.#feeds.get(serial) ?? this.#open(serial)
    feed.join(viewer)
    return () => feed.leave(viewer)
  }

  countViewers(principal: string): number {
    return [...this.#viewers()].filter((viewer) => viewer.principal === principal).length
  }

  /** The latest pictures of a screen that is or was just streamed. */
  frames(serial: string): FrameStore | undefined {
    return this.#frames.get(serial)
  }

  async close(): Promise<void> {
    clearInterval(this.#keepAlive)
    await Promise.all([...this.#feeds.values()].map((feed) => feed.close()))
  }

  #open(serial: string): ScreenFeed {
    const { devices, deviceReader, clock, log } = this.#deps
    const frames = this.#frames.get(serial) ?? new FrameStore()
    frames.forgetNewest()
    this.#frames.set(serial, frames)
    const feed: ScreenFeed = new ScreenFeed(serial, {
      driver: devices.driver(serial),
      isInUse: () => devices.isInUse(serial),
      runInQueue: (limits, work) => devices.runInQueue(serial, { principal: PRINCIPAL, ...limits }, work),
      readScreen: (driver, limits) => deviceReader.readScreen(driver, limits),
      listHolders: () => deviceReader.listHolders(serial),
      clock,
      log,
      frames,
      onEnd: () => {
        this.#feeds.delete(serial)
        setTimeout(() => this.#dropFrames(serial), KEEP_FRAMES_MS).unref()
      },
    })
    this.#feeds.set(serial, feed)
    return feed
  }

  #dropFrames(serial: string): void {
    if (!this.#feeds.has(serial)) this.#frames.delete(serial)
  }

  *#viewers(): Generator<ScreenViewer> {
    for (const feed of this.#feeds.values()) yield* feed.viewers
  }
}
