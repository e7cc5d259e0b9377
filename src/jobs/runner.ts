import PQueue from 'p-queue'
import type { Logger } from 'pino'
import type { CommandContext } from '../domain/command/context.ts'
import { Failure } from '../failure/failure.ts'
import type { Store, Tx } from '../store/db/db.ts'
import {
  claimJob,
  findJob,
  type Job,
  lastJobRow,
  listJobsQueuedSince,
  listRunningJobs,
  requeueJob,
  type SettledState,
  settleJob,
  type WaitingJob,
} from '../store/command/jobs.ts'
import { type FairOptions, FairQueue } from './fair-queue.ts'
import { type JobHandler, JobStopped } from './handler.ts'
import { Waiters } from './waiters.ts'

export interface RunnerDeps {
  readonly store: Store
  readonly clock: () => Date
  readonly newId: () => string
  readonly log: Logger
}

interface Outcome {
  readonly state: SettledState
  readonly result?: unknown
}

const longestTimerMs = 3_600_000
const shortestTimerMs = 25
const stopGraceMs = 5000

/**
 * Runs what the rows of `jobs` ask for, one at a time in each lane. The rows are the truth: what is kept in mind
 * here can be lost at any moment and is read again at the next start.
 */
export class JobRunner {
  readonly #edges: RunnerDeps
  readonly #handlers = new Map<string, JobHandler>()
  readonly #lanes = new Map<string, PQueue<FairQueue, FairOptions>>()
  readonly #running = new Map<string, AbortController>()
  readonly #deadlines = new Map<string, NodeJS.Timeout>()
  readonly #waiters = new Waiters()
  #later: WaitingJob[] = []
  #wake: NodeJS.Timeout | undefined
  #seenRow = 0
  #forget: (() => void) | undefined
  #stopping = false

  constructor(edges: RunnerDeps) {
    this.#edges = edges
  }

  /** Says who does a kind of job; before `start`, because that is when unfinished jobs are taken up. */
  handle(kind: string, handler: JobHandler): void {
    if (this.#forget !== undefined) throw new Error('The runner has started.')
    this.#handlers.set(kind, handler)
  }

  async start(): Promise<void> {
    const { store } = this.#edges
    for (const job of store.read(listRunningJobs)) await this.#takeUp(job)
    this.#forget = store.onCommit(() => this.#discover())
    this.#discover()
  }

  /** False when there is no such job, or it has settled. A running one ends when its handler does. */
  async cancel(jobId: string): Promise<boolean> {
    const running = this.#running.get(jobId)
    if (running === undefined) return this.#settle(jobId, { state: 'cancelled' })
    running.abort(new JobStopped('cancelled'))
    return true
  }

  /** The job once it has settled; undefined when it did not in this time, or the daemon stops. */
  settled(jobId: string, withinMs: number): Promise<Job | undefined> {
    const job = this.#edges.store.read((reader) => findJob(reader, jobId))
    const waiting = job?.state === 'queued' || job?.state === 'running'
    return waiting && !this.#stopping
      ? this.#waiters.wait(jobId, withinMs)
      : Promise.resolve(waiting ? undefined : job)
  }

  /** A look at what a lane works on, between its jobs. It leaves no row: one that is lost can be taken again. */
  inLane<T>(
    name: string,
    options: FairOptions & { signal: AbortSignal },
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.#stopping)
      return Promise.reject(new Failure('SHUTTING_DOWN', 'The daemon is stopping.'))
    return this.#lane(name).add(work, options)
  }

  /** How many jobs and looks wait or run in a lane. */
  depthOf(name: string): number {
    const lane = this.#lanes.get(name)
    return lane === undefined ? 0 : lane.size + lane.pending
  }

  /** Lets the jobs run whose time has come. Runs by itself; only a clock that jumps needs to call it. */
  look(): void {
    const now = this.#now()
    const due = this.#later.filter((job) => job.run_after <= now)
    this.#later = this.#later.filter((job) => job.run_after > now)
    // A lane begins with the first that enters.
    for (const job of due.toSorted((a, b) => b.priority - a.priority)) this.#enter(job)
    this.#armWake()
  }

  /** Ends what runs and takes up nothing new; what is unfinished stays in the rows. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#forget?.()
    clearTimeout(this.#wake)
    for (const timer of this.#deadlines.values()) clearTimeout(timer)
    for (const lane of this.#lanes.values()) lane.clear()
    for (const running of this.#running.values()) running.abort(new JobStopped('interrupted'))
    const idle = Promise.all([...this.#lanes.values()].map((lane) => lane.onIdle()))
    await Promise.race([idle, pause(stopGraceMs)])
    this.#waiters.release()
  }

  /** A job that was running when the daemon went away. */
  async #takeUp({ job_id, kind }: Job): Promise<void> {
    if (this.#handlers.get(kind)?.resume === 'rerun') {
      await this.#edges.store.write((tx) => requeueJob(tx, job_id))
    } else await this.#settle(job_id, { state: 'interrupted' })
  }

  /** Finds the jobs that were added. Called within a commit that is none of its making, so it must not throw. */
  #discover(): void {
    const { store, log } = this.#edges
    try {
      const last = store.read(lastJobRow)
      if (last === this.#seenRow) return
      const found = store.read((reader) => listJobsQueuedSince(reader, this.#seenRow))
      this.#seenRow = last
      for (const job of found) {
        if (this.#handlers.has(job.kind)) this.#later.push(job)
        else log.warn({ job_id: job.job_id, kind: job.kind }, 'nobody handles this kind of job')
      }
      this.look()
    } catch (error) {
      log.error({ err: error }, 'new jobs could not be read')
    }
  }

  #enter(job: WaitingJob): void {
    this.#watchDeadline(job)
    const { job_id, priority, principal } = job
    this.#lane(job.lane)
      .add(() => this.#run(job_id), { priority, principal })
      .catch((error: unknown) => this.#edges.log.error({ err: error, job_id }, 'job lost'))
  }

  #lane(name: string): PQueue<FairQueue, FairOptions> {
    const known = this.#lanes.get(name)
    if (known !== undefined) return known
    const lane = new PQueue<FairQueue, FairOptions>({ concurrency: 1, queueClass: FairQueue })
    lane.on('idle', () => this.#lanes.delete(name))
    this.#lanes.set(name, lane)
    return lane
  }

  async #run(jobId: string): Promise<void> {
    if (this.#stopping) return
    // Before the claim, so that a cancel that comes meanwhile finds it.
    const controller = new AbortController()
    this.#running.set(jobId, controller)
    try {
      const job = await this.#edges.store.write((tx) => this.#claim(tx, jobId))
      if (job?.state === 'expired') this.#waiters.tell(job)
      if (job?.state !== 'running') return
      const outcome = await this.#attempt(job, controller.signal)
      if (outcome !== undefined) await this.#settle(jobId, outcome)
    } finally {
      this.#running.delete(jobId)
    }
  }

  /** The job, running or too late; undefined when it no longer waits. */
  #claim(tx: Tx, jobId: string): Job | undefined {
    const now = this.#now()
    const late = (findJob(tx, jobId)?.deadline_at ?? now) < now
    if (late) return this.#writeSettled(tx, jobId, { state: 'expired' })
    const job = claimJob(tx, jobId, now)
    if (job !== undefined) this.#handlers.get(job.kind)?.started?.(this.#actFor(tx, job), job)
    return job
  }

  /** Undefined for work that the next start will do again. */
  async #attempt(job: Job, signal: AbortSignal): Promise<Outcome | undefined> {
    const handler = this.#handlers.get(job.kind)
    try {
      signal.throwIfAborted()
      return { state: 'succeeded', result: await handler?.run(job, signal) }
    } catch (error) {
      if (!(signal.reason instanceof JobStopped)) return this.#failed(job, error)
      const { state } = signal.reason
      return state === 'interrupted' && handler?.resume === 'rerun' ? undefined : { state }
    }
  }

  #failed(job: Job, error: unknown): Outcome {
    const { job_id, kind } = job
    const failure =
      error instanceof Failure ? error : new Failure('INTERNAL_ERROR', 'The job failed.')
    this.#edges.log.error({ err: error, job_id, kind }, 'job failed')
    const { code, message, retryable } = failure
    return { state: 'failed', result: { error: { code, message, retryable } } }
  }

  async #settle(jobId: string, outcome: Outcome): Promise<boolean> {
    const { store, log } = this.#edges
    clearTimeout(this.#deadlines.get(jobId))
    this.#deadlines.delete(jobId)
    let job: Job | undefined
    try {
      job = await store.write((tx) => this.#writeSettled(tx, jobId, outcome))
    } catch (error) {
      log.error({ err: error, job_id: jobId }, 'what a job led to could not be written')
      const now = this.#now()
      job = await store.write((tx) => settleJob(tx, jobId, { state: 'failed', now }))
    }
    if (job !== undefined) this.#waiters.tell(job)
    return job !== undefined
  }

  #writeSettled(tx: Tx, jobId: string, outcome: Outcome): Job | undefined {
    const job = settleJob(tx, jobId, { ...outcome, now: this.#now() })
    if (job !== undefined) this.#handlers.get(job.kind)?.settled?.(this.#actFor(tx, job), job)
    return job
  }

  /** A span of real time from now on: a deadline does not move with the clock. */
  #watchDeadline({ job_id, deadline_at }: WaitingJob): void {
    if (deadline_at === undefined) return
    const leftMs = Date.parse(deadline_at) - this.#edges.clock().getTime()
    const timer = setTimeout(() => this.#expire(job_id), Math.min(Math.max(leftMs, 0), 2 ** 31 - 1))
    this.#deadlines.set(job_id, timer.unref())
  }

  #expire(jobId: string): void {
    const running = this.#running.get(jobId)
    if (running !== undefined) running.abort(new JobStopped('expired'))
    else {
      this.#settle(jobId, { state: 'expired' }).catch((error: unknown) =>
        this.#edges.log.error({ err: error, job_id: jobId }, 'a late job could not be settled'),
      )
    }
  }

  #armWake(): void {
    clearTimeout(this.#wake)
    if (this.#later.length === 0) return
    const next = this.#later.reduce((a, b) => (a.run_after < b.run_after ? a : b)).run_after
    const leftMs = Date.parse(next) - this.#edges.clock().getTime()
    const delayMs = Math.min(Math.max(leftMs, shortestTimerMs), longestTimerMs)
    this.#wake = setTimeout(() => this.look(), delayMs).unref()
  }

  #actFor(tx: Tx, job: Job): CommandContext {
    return {
      tx,
      now: this.#now(),
      actor: { kind: 'system', user_id: 'system' },
      correlation_id: job.correlation_id,
      newId: this.#edges.newId,
    }
  }

  #now(): string {
    return this.#edges.clock().toISOString()
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
