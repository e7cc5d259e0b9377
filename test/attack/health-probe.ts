import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { findPercentile } from './percentile.ts'

/** How long `/healthz` took. `own` leaves out the time in which the daemon waited for a processor or for the disk. */
export interface HealthFigures {
  readonly samples: number
  readonly unanswered: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly longest_ms: number
  readonly own_p99_ms: number
  readonly own_longest_ms: number
  /** How late timers of an idle process were meanwhile: the load of the machine. */
  readonly control_p99_ms: number
  /** When the daemon waited for the disk, in milliseconds of the clock. */
  readonly disk_waits: readonly DiskWait[]
}

export interface DiskWait {
  readonly from: number
  readonly to: number
}

interface Samples {
  readonly disk_waits: readonly DiskWait[]
  readonly wall_ms: readonly number[]
  readonly own_ms: readonly number[]
  readonly control_late_ms: readonly number[]
  readonly unanswered: number
}

/** Asks daemons for their health all the time, from a process of its own. */
export class HealthProbe {
  readonly #child: ChildProcess

  constructor(intervalMs: number) {
    this.#child = fork(join(import.meta.dirname, 'health-prober.mjs'), [String(intervalMs)], { execArgv: [] })
  }

  /** Asks this daemon from now on. */
  watch(url: string, pid: number): void {
    this.#child.send({ url, pid })
  }

  /** Asks nobody until the next `watch`, for example because the daemon is about to be killed. */
  pause(): void {
    this.#child.send({})
  }

  async finish(): Promise<HealthFigures> {
    const report = once(this.#child, 'message')
    this.#child.send({ report: true })
    const [samples] = (await report) as [Samples]
    return summarize(samples)
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }
}

const summarize = ({ wall_ms, own_ms, control_late_ms, unanswered, disk_waits }: Samples): HealthFigures => ({
  samples: wall_ms.length,
  unanswered,
  p50_ms: findPercentile(wall_ms, 0.5),
  p99_ms: findPercentile(wall_ms, 0.99),
  longest_ms: findPercentile(wall_ms, 1),
  own_p99_ms: findPercentile(own_ms, 0.99),
  own_longest_ms: findPercentile(own_ms, 1),
  control_p99_ms: findPercentile(control_late_ms, 0.99),
  disk_waits,
})
