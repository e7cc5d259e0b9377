import type { AbilityRunState } from '@apprentice/contracts/abilities/runs.ts'
import { type Reader, sql } from '../db/db.ts'

/** The runs of one user that were started at or after a time. */
export interface RunSpan {
  readonly owner: string
  readonly since: string
}

export interface DayCount {
  readonly date: string
  readonly state: AbilityRunState
  readonly count: number
}

/** The number of settled runs per day and state. A day begins `offset_minutes` before midnight UTC. */
export function countRunsByDay(reader: Reader, { owner, since }: RunSpan, offsetMinutes: number): DayCount[] {
  return sql(
    reader,
    `SELECT date(created_at, @offset) AS date, state, count(*) AS count FROM ability_runs
      WHERE owner_user_id = @owner AND created_at >= @since AND settled_at IS NOT NULL
      GROUP BY 1, 2`,
  ).all({ owner, since, offset: `${offsetMinutes} minutes` }) as DayCount[]
}

const DURATION_MS = `CAST(round((julianday(settled_at) - julianday(run.created_at)) * 86400000) AS INTEGER)`
const ACTED = `run.owner_user_id = @owner AND run.created_at >= @since AND run.state = 'success'
        AND run.outcome ->> 'acted' = 1`

/** Undefined if no run acted and succeeded. */
export function findMedianSuccessMs(reader: Reader, { owner, since }: RunSpan): number | undefined {
  return sql(
    reader,
    `SELECT ${DURATION_MS} AS ms FROM ability_runs AS run WHERE ${ACTED}
      ORDER BY ms LIMIT 1 OFFSET (SELECT count(*) / 2 FROM ability_runs AS run WHERE ${ACTED})`,
    'values',
  ).get({ owner, since }) as number | undefined
}

/** The time of the demonstrations minus the time of the runs; a run that took longer saved nothing. */
export function sumSavedMs(reader: Reader, { owner, since }: RunSpan): number {
  return sql(
    reader,
    `SELECT coalesce(sum(max(0, capture_accumulated_ms * coalesce(run.items_total, 1) - ${DURATION_MS})), 0)
       FROM ability_runs AS run JOIN abilities USING (ability_id) JOIN learn_sessions USING (learn_session_id)
      WHERE ${ACTED}`,
    'values',
  ).get({ owner, since }) as number
}
