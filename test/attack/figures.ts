import { FAILURES, type FailureCode } from '@apprentice/contracts/base/failures.ts'
import { allRoutes } from '@apprentice/contracts/index.ts'
import type { DiskWait } from './health-probe.ts'
import { findPercentile } from './percentile.ts'

/** A reply to one request of the attack. */
export interface Answer {
  /** The method and the URL of the contract. */
  readonly what: string
  readonly status: number
  readonly body: string
  /** The MCP session that the reply names. */
  readonly session?: string
  readonly took_ms: number
  /** The part of the time in which the daemon did not wait for a processor and the attacker was idle. */
  readonly own_ms: number
  /** How long the main thread of the daemon worked meanwhile, also for other requests. */
  readonly ran_ms: number
  /** How long the request itself asked to wait. */
  readonly asked_ms: number
}

const LONGEST_MS = 1000
/** Statuses that tell the client to try again later. */
const TEMPORARY = new Set([503, 507])
const KEPT_SLOWEST = 10
const MAX_FAULTS = 200

interface Excused extends Pick<Answer, 'what' | 'took_ms' | 'own_ms' | 'ran_ms' | 'asked_ms'> {
  /** How long the daemon waited for the disk meanwhile. */
  readonly disk_ms: number
}

/** What the attack counted, and everything that should not have happened. */
export class Figures {
  readonly faults: string[] = []
  readonly statuses: Record<string, number> = {}
  readonly counts: Record<string, number> = {}
  readonly #took: number[] = []
  readonly #slowest: Answer[] = []
  readonly #late: (Answer & DiskWait)[] = []
  #slow = 0
  /** Late replies that were not the fault of the daemon, and why. */
  readonly #excused: Excused[] = []

  count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by
  }

  fault(what: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(what.slice(0, 1000))
  }

  /** Counts a reply. `upstream` are the failures by which a route may say that what is behind the daemon failed. */
  answer(answer: Answer, upstream: ReadonlySet<FailureCode> = new Set()): void {
    const { status, what, took_ms, asked_ms } = answer
    this.statuses[status] = (this.statuses[status] ?? 0) + 1
    this.#took.push(took_ms)
    this.#keepSlowest(answer)
    if (took_ms - asked_ms > LONGEST_MS) {
      const to = Date.now()
      this.#late.push({ ...answer, from: to - took_ms, to })
    }
    if (status < 500) return
    if (!isAllowedFailure(answer, upstream)) this.fault(`${what} answered ${status}: ${answer.body.slice(0, 300)}`)
    else if (!TEMPORARY.has(status)) this.count('upstream_failures')
  }

  /**
   * Decides which late replies were the fault of the daemon: not those that waited for a processor or for the disk. On a
   * loaded machine there is more to wait for, such as memory and other processes, so only the work of the daemon counts.
   */
  judgeLate(diskWaits: readonly DiskWait[], isMachineLoaded: boolean): void {
    for (const { what, took_ms, own_ms, ran_ms, asked_ms, from, to } of this.#late.splice(0)) {
      const disk_ms = diskWaits.reduce(
        (sum, wait) => sum + Math.max(0, Math.min(to, wait.to) - Math.max(from, wait.from)),
        0,
      )
      const isOnTime = isMachineLoaded || own_ms - disk_ms - asked_ms <= LONGEST_MS
      if (isOnTime && ran_ms <= LONGEST_MS) {
        this.#excused.push({ what, took_ms, own_ms, ran_ms, asked_ms, disk_ms })
        continue
      }
      this.#slow += 1
      this.fault(`${what} took ${Math.round(took_ms)} ms; the daemon worked ${Math.round(ran_ms)} ms meanwhile`)
    }
  }

  #keepSlowest(answer: Answer): void {
    this.#slowest.push(answer)
    this.#slowest.sort((a, b) => b.ran_ms - a.ran_ms)
    this.#slowest.splice(KEPT_SLOWEST)
  }

  summarize(): object {
    return {
      requests_answered: this.#took.length,
      replies_by_status: this.statuses,
      request_p50_ms: findPercentile(this.#took, 0.5),
      request_p99_ms: findPercentile(this.#took, 0.99),
      request_longest_ms: findPercentile(this.#took, 1),
      requests_over_1_s: this.#slow,
      requests_over_1_s_because_of_the_load: this.#excused.length,
      longest_because_of_the_load: this.#excused
        .toSorted((a, b) => b.took_ms - b.asked_ms - (a.took_ms - a.asked_ms))
        .slice(0, KEPT_SLOWEST)
        .map(roundTimes),
      most_work: this.#slowest.map(({ what, took_ms, own_ms, ran_ms }) => ({
        what,
        took_ms: Math.round(took_ms),
        own_ms: Math.round(own_ms),
        daemon_ran_ms: Math.round(ran_ms),
      })),
      ...this.counts,
      faults: this.faults,
    }
  }
}

/**
 * A failure of the catalogue, with its status and whether it may be retried, that the contract of the route names. Its
 * status says that the request may succeed later, or that what is behind the daemon failed where that may be so.
 */
function isAllowedFailure({ what, status, body }: Answer, upstream: ReadonlySet<FailureCode>): boolean {
  const { code, retryable } = readFailure(body) ?? {}
  if (code === undefined || !Object.hasOwn(FAILURES, code)) return false
  const known = FAILURES[code]
  if (known.status !== status || known.retryable !== retryable) return false
  if (TEMPORARY.has(status)) return true
  const contract = allRoutes.find(({ method, url }) => `${method} ${url}` === what)
  return upstream.has(code) && contract?.fails.includes(code) === true
}

const roundTimes = ({ what, ...times }: Excused): object => ({
  what,
  ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Math.round(ms)])),
})

interface ReadFailure {
  readonly code?: FailureCode
  readonly retryable?: boolean
}

export const readCode = (body: string): FailureCode | undefined => readFailure(body)?.code

function readFailure(body: string): ReadFailure | undefined {
  try {
    return (JSON.parse(body) as { error?: ReadFailure }).error
  } catch {
    return undefined
  }
}
