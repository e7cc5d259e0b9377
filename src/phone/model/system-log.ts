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
  /** Calls back for every later line; the answer stops it. */
  follow(listener: (line: LogLine) => void): () => void
}

const KEPT_LINES = 4000

/** What `logcat` reads: a ring of lines. */
export function createSystemLog(clock: PhoneClock): SystemLog {
  let kept: LogLine[] = []
  const listeners = new Set<(line: LogLine) => void>()
  return {
    write: (entry) => {
      const line = { ...entry, timeMs: clock.now() }
      kept.push(line)
      if (kept.length > KEPT_LINES) kept = kept.slice(-KEPT_LINES / 2)
      for (const listener of listeners) listener(line)
    },
    lines: () => kept,
    clear: () => {
      kept = []
    },
    follow: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
