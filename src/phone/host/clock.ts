/** The clock of the phone. The model uses it for all waits and timestamps. */
export interface PhoneClock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`, or immediately when the signal aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: PhoneClock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (ms <= 0 || signal?.aborted === true) {
        resolve()
        return
      }
      const done = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal?.addEventListener('abort', done)
    }),
}

export interface ManualClock extends PhoneClock {
  advance(ms: number): void
}

/** A clock that advances only by `advance` and `sleep`. */
export function createManualClock(startMs: number): ManualClock {
  let nowMs = startMs
  return {
    now: () => nowMs,
    advance: (ms) => {
      nowMs += ms
    },
    sleep: async (ms, signal) => {
      await Promise.resolve()
      if (signal?.aborted !== true) nowMs += ms
    },
  }
}

/** A clock that can be set to an earlier time while something runs that was due then. */
export interface ModelClock extends PhoneClock {
  runAt(ms: number, run: () => void): void
}

export function createModelClock(clock: PhoneClock): ModelClock {
  let runningAtMs: number | undefined
  return {
    now: () => runningAtMs ?? clock.now(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    runAt: (ms, run) => {
      runningAtMs = ms
      try {
        run()
      } finally {
        runningAtMs = undefined
      }
    },
  }
}

/** Resolves when the signal aborts. For commands that run until their stream is closed. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
