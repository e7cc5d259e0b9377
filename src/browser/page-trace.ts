import type { ContainedAttempt, SceneConsoleLine } from '@apprentice/contracts/scenes/run.ts'
import type { PageTrace } from './host-messages.ts'

const MAX_LINES = 200
const MAX_LINE = 500
const MAX_ATTEMPTS = 100
const MAX_DETAIL = 300

/** Collects what a page prints and what it tries, up to a bound. */
export class TraceCollector {
  readonly #console: SceneConsoleLine[] = []
  #dropped = 0
  readonly #attempts = new Map<string, ContainedAttempt>()
  readonly #started = performance.now()

  print(level: SceneConsoleLine['level'], text: string): void {
    if (this.#console.length < MAX_LINES) this.#console.push({ level, text: text.slice(0, MAX_LINE) })
    else this.#dropped += 1
  }

  contain(kind: ContainedAttempt['kind'], detail: string): void {
    const attempt = { kind, detail: detail.slice(0, MAX_DETAIL) }
    const key = JSON.stringify(attempt)
    const count = this.#attempts.get(key)?.count ?? 0
    if (count === 0 && this.#attempts.size >= MAX_ATTEMPTS) return
    this.#attempts.set(key, { ...attempt, count: count + 1 })
  }

  /** The servers that the run asked for and that are not allowed. */
  listBlockedServers(): string[] {
    return [...this.#attempts.values()].flatMap(({ kind, detail }) => (kind === 'request' ? [detail] : []))
  }

  read(sandboxed: boolean | undefined): PageTrace {
    return {
      contained: [...this.#attempts.values()],
      console: [...this.#console],
      console_dropped: this.#dropped,
      duration_ms: Math.round(performance.now() - this.#started),
      sandboxed,
    }
  }
}
