import type { HelperFailure, HelperFailureKind } from './helper-failure.ts'

export interface SourceTimes {
  readonly readings: number
  readonly medianMs: number
  readonly slowestMs: number
}

/** How the screens of a device were read since the daemon started. */
export interface SourceState {
  /** Of the last reading. Undefined if there was none. */
  readonly source: 'helper' | 'dump' | undefined
  readonly helper: SourceTimes | undefined
  readonly dump: SourceTimes | undefined
  /** How often the helper could not be used, by reason. */
  readonly failures: Readonly<Partial<Record<HelperFailureKind, number>>>
  readonly lastFailure: { readonly kind: HelperFailureKind; readonly message: string } | undefined
}

const KEPT_TIMES = 200

export class SourceReport {
  readonly #times = { helper: [] as number[], dump: [] as number[] }
  readonly #counts = { helper: 0, dump: 0 }
  readonly #failures = new Map<HelperFailureKind, number>()
  #source: 'helper' | 'dump' | undefined
  #lastFailure: SourceState['lastFailure']

  read(source: 'helper' | 'dump', ms: number): void {
    this.#source = source
    this.#counts[source] += 1
    const times = this.#times[source]
    times.push(ms)
    if (times.length > KEPT_TIMES) times.shift()
  }

  failed({ kind, message }: HelperFailure): void {
    this.#failures.set(kind, (this.#failures.get(kind) ?? 0) + 1)
    this.#lastFailure = { kind, message }
  }

  get state(): SourceState {
    return {
      source: this.#source,
      helper: this.#summarize('helper'),
      dump: this.#summarize('dump'),
      failures: Object.fromEntries(this.#failures),
      lastFailure: this.#lastFailure,
    }
  }

  #summarize(source: 'helper' | 'dump'): SourceTimes | undefined {
    const sorted = this.#times[source].toSorted((a, b) => a - b)
    const [median, slowest] = [sorted[sorted.length >> 1], sorted.at(-1)]
    if (median === undefined || slowest === undefined) return undefined
    return { readings: this.#counts[source], medianMs: Math.round(median), slowestMs: Math.round(slowest) }
  }
}
