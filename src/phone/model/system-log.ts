import type { PhoneClock } from '../host/clock.ts'

export type LogLevel = 'V' | 'D' | 'I' | 'W' | 'E' | 'F'

export interface LogLine {
  readonly timeMs: number
  readonly pid: number
  readonly level: LogLevel
  readonly tag: string
  readonly text: string
}

export interface SystemLog {
  write(entry: Omit<LogLine, 'timeMs'>): void
  lines(): readonly LogLine[]
  clear(): void
  /** Calls the listener for every new line. Returns a function that unsubscribes it. */
  follow(listener: (line: LogLine) => void): () => void
}

const MAX_LINES = 4000

/** Creates the log that `logcat` reads. Old lines are dropped. */
export function createSystemLog(clock: PhoneClock): SystemLog {
  let stored: LogLine[] = []
  const listeners = new Set<(line: LogLine) => void>()
  return {
    write: (entry) => {
      const line = { ...entry, timeMs: clock.now() }
      stored.push(line)
      if (stored.length > MAX_LINES) stored = stored.slice(-MAX_LINES / 2)
      for (const listener of listeners) listener(line)
    },
    lines: () => stored,
    clear: () => {
      stored = []
    },
    follow: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
