import type { OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import type { Capability } from '@apprentice/contracts/policy/capability.ts'
import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import { integer, json, text } from '../db/columns.ts'
import { type Reader, sql, type Tx } from '../db/db.ts'
import { readNumber } from '../db/queries.ts'
import { defineTable, type InsertOf, type RowOf } from '../db/table.ts'

/**
 * The states of a job.
 *
 * queued       waits for its start time and its queue   -> running | cancelled | expired
 * running      a handler executes it                    -> succeeded | failed | cancelled | expired | interrupted | queued
 * succeeded    final, with a result
 * failed       final: the handler failed
 * cancelled    final: cancelled on request
 * expired      final: its deadline passed
 * interrupted  final: the daemon stopped while it ran, and it must not run again
 */
export type JobState = 'queued' | 'running' | SettledState
export type SettledState = 'succeeded' | 'failed' | 'cancelled' | 'expired' | 'interrupted'

/** By what right a job works: which profiles apply to it. */
export interface JobAuthority {
  /** The token of the request that started the work. Absent for work that the daemon started. */
  readonly token_id?: string | undefined
  /** The consent of the request. */
  readonly allow_capabilities?: readonly Capability[] | undefined
  /** Restricts the profiles of the operator for this work. */
  readonly policy?: PolicyProfile | undefined
  /** The lanes of the abilities that the work runs. */
  readonly lanes?: readonly OpenLane[] | undefined
  /** The span of the command that started the work, as W3C headers. It decides nothing. */
  readonly trace?: { readonly traceparent: string; readonly tracestate?: string | undefined } | undefined
}

export const jobs = defineTable(
  'jobs',
  {
    job_id: text(),
    kind: text(),
    /** The queue. Jobs of one queue run one after the other. */
    lane: text(),
    state: text<JobState>(),
    /** Higher priorities run first. */
    priority: integer(),
    /** The user or component the job runs for. The principals of one queue take turns. */
    principal: text(),
    authority: json<JobAuthority>().optional(),
    payload: json<unknown>(),
    result: json<unknown>().optional().notInserted(),
    run_after: text(),
    deadline_at: text().optional(),
    started_at: text().optional().notInserted(),
    settled_at: text().optional().notInserted(),
    correlation_id: text(),
    created_at: text(),
  },
  { key: ['job_id'] },
)

export type Job = RowOf<typeof jobs>
export type NewJob = Omit<InsertOf<typeof jobs>, 'state'>

/** Returns false if a job with this id exists. A job that must exist only once gets an id derived from its purpose. */
export function insertJob(tx: Tx, job: NewJob): boolean {
  return jobs.insertIfAbsent(tx, { ...job, state: 'queued', payload: job.payload ?? null })
}

export function findJob(reader: Reader, jobId: string): Job | undefined {
  return jobs.find(reader, jobId)
}

const waitingJob = jobs.only('job_id', 'kind', 'lane', 'priority', 'principal', 'run_after', 'deadline_at')

/** The part of a queued job that the runner keeps in memory. */
export type WaitingJob = ReturnType<typeof waitingJob.decode>

/** The queued jobs that were inserted after row `after`, oldest first. */
export function listJobsQueuedSince(reader: Reader, after: number): WaitingJob[] {
  return sql(reader, `SELECT ${waitingJob.select} FROM jobs WHERE state = 'queued' AND rowid > ? ORDER BY rowid`)
    .all(after)
    .map(waitingJob.decode)
}

export function listRunningJobs(reader: Reader): Job[] {
  return sql(reader, `SELECT * FROM jobs WHERE state = 'running' ORDER BY started_at, job_id`).all().map(jobs.decode)
}

/** Grows with every inserted job, so that a poll can tell cheaply that there is no new job. */
export function getLastJobRow(reader: Reader): number {
  return readNumber(reader, 'SELECT coalesce(max(rowid), 0) FROM jobs')
}

/** Returns undefined if the job is no longer queued. */
export function claimJob(tx: Tx, jobId: string, now: string): Job | undefined {
  const row = sql(
    tx,
    `UPDATE jobs SET state = 'running', started_at = ? WHERE job_id = ? AND state = 'queued'
     RETURNING *`,
  ).get(now, jobId)
  return jobs.decodeOptional(row)
}

/** Returns a running job to its queue. */
export function requeueJob(tx: Tx, jobId: string): void {
  sql(tx, `UPDATE jobs SET state = 'queued', started_at = NULL WHERE job_id = ? AND state = 'running'`).run(jobId)
}

/** For a handler that has stored the result elsewhere. */
export function forgetJobResult(tx: Tx, jobId: string): void {
  sql(tx, 'UPDATE jobs SET result = NULL WHERE job_id = ?').run(jobId)
}

/** Returns undefined if the job was already settled. */
export function settleJob(
  tx: Tx,
  jobId: string,
  { state, result, now }: { state: SettledState; result?: unknown; now: string },
): Job | undefined {
  const row = sql(
    tx,
    `UPDATE jobs SET state = ?, result = ?, settled_at = ?
      WHERE job_id = ? AND state IN ('queued', 'running') RETURNING *`,
  ).get(state, result === undefined ? null : JSON.stringify(result), now, jobId)
  return jobs.decodeOptional(row)
}
