import type { Readings, WaitStatus } from '@apprentice/contracts/devices/verification.ts'
import type { GoodReading, Watch } from './observation.ts'

export interface PollPlan {
  readonly timeout_ms: number
  readonly poll_interval_ms: number
  /** Number of equal readings in a row that settle the result. */
  readonly stable_reads: number
}

export type Judgement<T> =
  | { readonly kind: 'settled'; readonly value: T }
  /** The condition holds, and one more equal reading must confirm it, after `wait_ms` if given. */
  | { readonly kind: 'confirming'; readonly wait_ms?: number }
  | { readonly kind: 'open' }

export interface Judge<T> {
  judge(reading: GoodReading): Judgement<T>
  /** A reading failed or was stale. Resets the count of readings in a row. */
  interrupted(): void
}

export interface Polled<T> {
  readonly status: WaitStatus
  readonly value: T | null
  readonly readings: Omit<Readings, 'attempts'>
  readonly last_fault: string | null
}

/**
 * Reads the screen until the judge is settled or the time limit has passed. A reading in progress is
 * awaited, and a confirmation in progress may exceed the limit. Without a good reading the status is
 * `unobservable`. Throws if the signal aborts.
 */
export async function pollScreen<T>(watch: Watch, plan: PollPlan, judge: Judge<T>): Promise<Polled<T>> {
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
    const result = await read(watch)
    tally.poll_count += 1
    tally[result.count] += 1
    fault = result.reading === null ? result.fault : null
    const judgement = judgeReading(result.reading, judge)
    if (judgement.kind === 'settled') return end('satisfied', judgement.value)
    const remaining = deadline - watch.now()
    if (remaining <= 0) {
      if (late >= countExtraReads(judgement.kind, tally.good_reads, plan)) {
        return end(tally.good_reads === 0 ? 'unobservable' : 'timeout', null)
      }
      late += 1
    }
    await watch.sleep(computePause(judgement, plan, remaining), watch.signal)
  }
}

/** Counts equal readings in a row. */
export function countConsecutive(required: number): {
  add(key: string): boolean
  reset(): void
} {
  let last: string | null = null
  let count = 0
  return {
    add(key) {
      count = key === last ? count + 1 : 1
      last = key
      return count >= required
    },
    reset() {
      last = null
      count = 0
    },
  }
}

type PolledReading =
  | { readonly count: 'good_reads'; readonly reading: GoodReading }
  | {
      readonly count: 'failed_reads' | 'stale_reads'
      readonly reading: null
      readonly fault: string
    }

async function read(watch: Watch): Promise<PolledReading> {
  watch.signal.throwIfAborted()
  const observation = await watch.observe(watch.signal)
  watch.signal.throwIfAborted()
  if (observation.status === 'failed') {
    return {
      count: 'failed_reads',
      reading: null,
      fault: `${observation.code}: ${observation.message}`,
    }
  }
  if (observation.status === 'stale') return { count: 'stale_reads', reading: null, fault: observation.message }
  if (observation.snapshot.dump_started_ms < (watch.action_ended_ms ?? Number.NEGATIVE_INFINITY)) {
    return {
      count: 'stale_reads',
      reading: null,
      fault: 'The reading started before the action ended.',
    }
  }
  return { count: 'good_reads', reading: observation }
}

function judgeReading<T>(reading: GoodReading | null, judge: Judge<T>): Judgement<T> {
  if (reading !== null) return judge.judge(reading)
  judge.interrupted()
  return { kind: 'open' }
}

/** Number of readings that may start after the time limit. */
function countExtraReads(kind: 'confirming' | 'open', goodReads: number, { stable_reads }: PollPlan): number {
  if (goodReads === 0) return 1
  return kind === 'confirming' ? stable_reads : 0
}

function computePause<T>(judgement: Judgement<T>, plan: PollPlan, remaining: number): number {
  const pause = judgement.kind === 'confirming' ? (judgement.wait_ms ?? plan.poll_interval_ms) : plan.poll_interval_ms
  return remaining > 0 && judgement.kind === 'open' ? Math.min(pause, remaining) : pause
}
