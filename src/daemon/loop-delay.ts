import { monitorEventLoopDelay } from 'node:perf_hooks'

export interface LoopDelay {
  /** How late timers ran since the last call, in milliseconds: the longest and the mean. */
  read(): { readonly longest_ms: number; readonly mean_ms: number }
  /** The longest delay of the last completed window, for a check that does not reset anything. */
  recent(): number
  close(): void
}

const RESOLUTION_MS = 10
const WINDOW_MS = 10_000

/** Measures how long the event loop was blocked. A request waits at least that long. */
export function watchLoopDelay(): LoopDelay {
  const sinceRead = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  const inWindow = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  sinceRead.enable()
  inWindow.enable()
  let last = 0
  const timer = setInterval(() => {
    last = toDelay(inWindow.max)
    inWindow.reset()
  }, WINDOW_MS).unref()
  return {
    read: () => {
      const delays = { longest_ms: toDelay(sinceRead.max), mean_ms: toDelay(sinceRead.mean) }
      sinceRead.reset()
      return delays
    },
    recent: () => Math.max(last, toDelay(inWindow.max)),
    close: () => {
      clearInterval(timer)
      sinceRead.disable()
      inWindow.disable()
    },
  }
}

/** The histogram counts the interval between two looks, in nanoseconds; it is not a number before the first. */
const toDelay = (nanoseconds: number): number =>
  Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) : 0
