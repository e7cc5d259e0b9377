import { type Reader, sql, type Tx } from '../db/db.ts'
import { bindable, insertInto, present, type Row } from '../db/row.ts'

/**
 * The life of a job.
 *
 * queued       waits for its time and its lane          -> running | cancelled | expired
 * running      a handler works on it                    -> succeeded | failed | cancelled | expired | interrupted | queued
 * succeeded    end, with a result
 * failed       end, the handler gave up
 * cancelled    end, somebody asked
 * expired      end, its deadline passed first
 * interrupted  end, the daemon went away under it and it may not be run again
 */
export type JobState = 'queued' | 'running' | SettledState
export type SettledState = 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'interrupted'

export interface NewJob {
  readonly job_id: string
  readonly kind: string
  /** Jobs of one lane run one after the other. */
  readonly lane: string
  /** The higher goes first. */
  readonly priority: number
  /** Whose work it is; principals of one lane take turns. */
  readonly principal: string
  readonly payload: unknown
  readonly run_after: string
  readonly deadline_at?: string | undefined
  readonly correlation_id: string
  readonly created_at: string
}

export interface Job extends NewJob {
  readonly state: JobState
  readonly result?: unknown
  readonly started_at?: string | undefined
  readonly settled_at?: string | undefined
}

const columns = [
  'job_id',
  'kind',
  'lane',
  'state',
  'priority',
  'principal',
  'payload',
  'run_after',
  'deadline_at',
  'correlation_id',
  'created_at',
] as const

/** False when there is already a job of this id: one that may exist only once gets an id that says so. */
export function insertJob(tx: Tx, job: NewJob): boolean {
  const { changes } = sql(tx, `${insertInto('jobs', columns)} ON CONFLICT (job_id) DO NOTHING`).run(
    bindable({
      deadline_at: undefined,
      ...job,
      state: 'queued',
      payload: JSON.stringify(job.payload ?? null),
    }),
  )
  return changes === 1
}

export function findJob(reader: Reader, jobId: string): Job | undefined {
  const row = sql(reader, 'SELECT * FROM jobs WHERE job_id = ?').get(jobId)
  return row === undefined ? undefined : toJob(row)
}

/** What the runner keeps in mind of a job that waits. */
export type WaitingJob = Pick<
  Job,
  'job_id' | 'kind' | 'lane' | 'priority' | 'principal' | 'run_after' | 'deadline_at'
>

/** The waiting jobs among those added after row `after`, oldest first. */
export function listJobsQueuedSince(reader: Reader, after: number): WaitingJob[] {
  return sql(
    reader,
    `SELECT job_id, kind, lane, priority, principal, run_after, deadline_at FROM jobs
      WHERE state = 'queued' AND rowid > ? ORDER BY rowid`,
  )
    .all(after)
    .map((row) => present(row as Row) as unknown as WaitingJob)
}

export function listRunningJobs(reader: Reader): Job[] {
  return sql(reader, `SELECT * FROM jobs WHERE state = 'running' ORDER BY started_at, job_id`)
    .all()
    .map(toJob)
}

/** Grows with every job that is added, so that whoever looks for new ones can see at once that there are none. */
export function lastJobRow(reader: Reader): number {
  return (sql(reader, 'SELECT coalesce(max(rowid), 0) AS last FROM jobs').get() as { last: number })
    .last
}

/** Undefined when the job no longer waits. */
export function claimJob(tx: Tx, jobId: string, now: string): Job | undefined {
  const row = sql(
    tx,
    `UPDATE jobs SET state = 'running', started_at = ? WHERE job_id = ? AND state = 'queued'
     RETURNING *`,
  ).get(now, jobId)
  return row === undefined ? undefined : toJob(row)
}

/** Puts a job that was running back into its lane. */
export function requeueJob(tx: Tx, jobId: string): void {
  sql(
    tx,
    `UPDATE jobs SET state = 'queued', started_at = NULL WHERE job_id = ? AND state = 'running'`,
  ).run(jobId)
}

/** Undefined when the job had already settled. */
export function settleJob(
  tx: Tx,
  jobId: string,
  { state, result, now }: { state: SettledState; result?: unknown; now: string },
): Job | undefined {
  const row = sql(
    tx,
    `UPDATE jobs SET state = @state, result = @result, settled_at = @now
      WHERE job_id = @job_id AND state IN ('queued', 'running') RETURNING *`,
  ).get({
    job_id: jobId,
    state,
    now,
    result: result === undefined ? null : JSON.stringify(result),
  })
  return row === undefined ? undefined : toJob(row)
}

function toJob(row: unknown): Job {
  const { payload, result, ...fields } = present(row as Row)
  const read: Row = { ...fields, payload: JSON.parse(String(payload)) }
  if (typeof result === 'string') read['result'] = JSON.parse(result)
  return read as unknown as Job
}
