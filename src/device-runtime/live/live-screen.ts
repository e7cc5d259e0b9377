import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import type { DeviceManager } from '../devices/device-manager.ts'
import { ScreenFeed } from './screen-feed.ts'
import { actionOf } from './screen-input.ts'
import { ScreenViewer, type Sink } from './screen-viewer.ts'

export interface LiveScreenDeps {
  readonly floor: DeviceManager
  readonly jobs: JobRunner
  readonly clock: () => Date
  readonly log: Logger
  readonly config: Config
}

export interface Watching {
  /** What the number of streams is counted against. */
  readonly key: string
  readonly maxFps: number
}

/** Whose turn it is in a lane when the screen is looked at for those who watch: all of them share one. */
const principal = 'live-screen'

/** The screens somebody watches now. Nothing of them is stored. */
export class LiveScreens {
  readonly actionOf = actionOf
  readonly #edges: LiveScreenDeps
  readonly #feeds = new Map<string, ScreenFeed>()
  readonly #keepAlive: NodeJS.Timeout

  constructor(edges: LiveScreenDeps) {
    this.#edges = edges
    this.#keepAlive = setInterval(() => {
      for (const viewer of this.#viewers()) viewer.keepAlive()
    }, edges.config.settings.limits.stream_keepalive_ms)
    this.#keepAlive.unref()
  }

  /** Shows a device's screen to one more; answers how to leave. */
  watch(serial: string, sink: Sink, watching: Watching): () => void {
    const viewer = new ScreenViewer(sink, watching)
    const feed = this.#feeds.get(serial) ?? this.#open(serial)
    feed.join(viewer)
    return () => feed.leave(viewer)
  }

  viewersOf(key: string): number {
    return [...this.#viewers()].filter((viewer) => viewer.key === key).length
  }

  frame(serial: string, frameId: string): Buffer | undefined {
    return this.#feeds.get(serial)?.frame(frameId)
  }

  /** Something was done to the phone: those who watch shall see it soon. */
  touched(serial: string): void {
    this.#feeds.get(serial)?.wake()
  }

  async close(): Promise<void> {
    clearInterval(this.#keepAlive)
    await Promise.all([...this.#feeds.values()].map((feed) => feed.close()))
  }

  #open(serial: string): ScreenFeed {
    const { floor, jobs, clock, log } = this.#edges
    const feed: ScreenFeed = new ScreenFeed(serial, {
      look: (limits, work) => floor.look(jobs, serial, { principal, ...limits }, work),
      snapshot: (driver, limits) => floor.snapshot(driver, limits),
      clock,
      log,
      onEnd: () => this.#feeds.delete(serial),
    })
    this.#feeds.set(serial, feed)
    return feed
  }

  *#viewers(): Generator<ScreenViewer> {
    for (const feed of this.#feeds.values()) yield* feed.viewers
  }
}
