import type { CommandContext } from './context.ts'
import { enqueueJob } from './jobs.ts'

export const NIGHTLY_JOB_KIND = 'nightly.learning'
const NIGHT_STARTS_AT_HOUR_UTC = 3

/** The date of the most recent night start. */
export function formatNight(now: string): string {
  return new Date(Date.parse(now) - NIGHT_STARTS_AT_HOUR_UTC * 3_600_000).toISOString().slice(0, 10)
}

export const formatNightlyJobId = (night: string): string => `${NIGHTLY_JOB_KIND}:${night}`

/**
 * Enqueues the nightly job of the most recent night, once. A daemon that was not running at night runs it at the
 * next start. Earlier missed nights are skipped because each nightly job processes the whole backlog.
 */
export function enqueueNightly(ctx: CommandContext): boolean {
  const night = formatNight(ctx.now)
  return enqueueJob(ctx, {
    job_id: formatNightlyJobId(night),
    kind: NIGHTLY_JOB_KIND,
    lane: 'nightly',
    payload: { night },
  })
}
