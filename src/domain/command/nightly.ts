import type { CommandContext } from './context.ts'
import { enqueueJob } from './jobs.ts'

export const nightlyKind = 'nightly.learning'
const beginsAtHourUtc = 3

/** The night that began last, by its date. */
export function nightOf(now: string): string {
  return new Date(Date.parse(now) - beginsAtHourUtc * 3_600_000).toISOString().slice(0, 10)
}

export const nightlyJobId = (night: string): string => `${nightlyKind}:${night}`

/**
 * Writes down the work of the night that began last, once: a daemon that was away does it when it comes back,
 * and of several nights it was away only the last, because each does all there is to do.
 */
export function enqueueNightly(ctx: CommandContext): boolean {
  const night = nightOf(ctx.now)
  return enqueueJob(ctx, {
    job_id: nightlyJobId(night),
    kind: nightlyKind,
    lane: 'nightly',
    payload: { night },
  })
}
