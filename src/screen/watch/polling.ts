import type { Readings, WaitStatus } from '@apprentice/contracts/devices/verification.ts'
import type { GoodReading, Watch } from './observation.ts'

export interface PollPlan {
  readonly timeout_ms: number
  readonly poll_interval_ms: number
  /** How many alike readings in a row settle a matter. */
  readonly stable_reads: number
}

export type Judgement<T> =
  | { readonly kind: 'settled'; readonly value: T }
  /** It holds, and one more alike reading is wanted; after `wait_ms` when given. */
  | { readonly kind: 'confirming'; readonly wait_ms?: number }
  | { readonly kind: 'open' }

export interface Judge<T> {
  judge(reading: GoodReading): Judgement<T>
  /** A reading failed or was stale: what was counted in a row no longer is. */
  interrupted(): void
}

export interface Polled<T> {
  readonly status: WaitStatus
  readonly value: T | null
  readonly readings: Omit<Readings, 'attempts'>
  readonly last_fault: string | null
}

/**
 * Reads until the judge is settled. The budget is time, the evidence is readings: a reading that has
 * begun is awaited, a confirmation that is under way may outlast the budget, and without one good
 * reading the answer is not "no" but "nothing was seen". Throws when the signal aborts.
 */
export async function pollScreen<T>(
  watch: Watch,
  plan: PollPlan,
  judge: Judge<T>,
): Promise<Polled<T>> {
  const started = watch.now()
  const deadline = started + plan.timeout_ms
  const tally = { poll_count: 0, good_reads: 0, failed_reads: 0, stale_reads: 0 }
  let late = 0
  let fault: string | null = null
  const end = (status: WaitStatus, value: T | null): Polled<T> => ({
    status,
    value,
    readings: { latency_ms: watch.now() - started, ...tally },
    last_fault: fault,
  })
  for (;;) {
    const look = await read(watch)
    tally.poll_count += 1
    tally[look.count] += 1
    fault = look.reading === null ? look.fault : null
    const judgement = judgeReading(look.reading, judge)
    if (judgement.kind === 'settled') return end('satisfied', judgement.value)
    const remaining = deadline - watch.now()
    if (remaining <= 0) {
      if (late >= extraReads(judgement.kind, tally.good_reads, plan)) {
        return end(tally.good_reads === 0 ? 'unobservable' : 'timeout', null)
      }
      late += 1
    }
    await watch.sleep(pauseOf(judgement, plan, remaining), watch.signal)
  }
}

/** Counts alike readings in a row. */
export function consecutive(wanted: number): {
  seen(key: string): boolean
  reset(): void
} {
  let last: string | null = null
  let count = 0
  return {
    seen(key) {
      count = key === last ? count + 1 : 1
      last = key
      return count >= wanted
    },
    reset() {
      last = null
      count = 0
    },
  }
}

type Look =
  | { readonly count: 'good_reads'; readonly reading: GoodReading }
  | {
      readonly count: 'failed_reads' | 'stale_reads'
      readonly reading: null
      readonly fault: string
    }

async function read(watch: Watch): Promise<Look> {
  watch.signal.throwIfAborted()
  const seen = await watch.observe(watch.signal)
  watch.signal.throwIfAborted()
  if (seen.status === 'failed') {
    return { count: 'failed_reads', reading: null, fault: `${seen.code}: ${seen.message}` }
  }
  if (seen.status === 'stale') return { count: 'stale_reads', reading: null, fault: seen.message }
  if (seen.snapshot.dump_started_ms < (watch.action_ended_ms ?? Number.NEGATIVE_INFINITY)) {
    return {
      count: 'stale_reads',
      reading: null,
      fault: 'The reading began before the action ended.',
    }
  }
  return { count: 'good_reads', reading: seen }
}

function judgeReading<T>(reading: GoodReading | null, judge: Judge<T>): Judgement<T> {
  if (reading !== null) return judge.judge(reading)
  judge.interrupted()
  return { kind: 'open' }
}

/** How many readings may still begin after the budget is spent. */
function extraReads(
  kind: 'confirming' | 'open',
  goodReads: number,
  { stable_reads }: PollPlan,
): number {
  if (goodReads === 0) return 1
  return kind === 'confirming' ? stable_reads : 0
}

function pauseOf<T>(judgement: Judgement<T>, plan: PollPlan, remaining: number): number {
  const wanted =
    judgement.kind === 'confirming'
      ? (judgement.wait_ms ?? plan.poll_interval_ms)
      : plan.poll_interval_ms
  return remaining > 0 && judgement.kind === 'open' ? Math.min(wanted, remaining) : wanted
}
