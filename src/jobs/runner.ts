import { setTimeout as sleep } from 'node:timers/promises'
import PQueue from 'p-queue'
import type { Logger } from 'pino'
import { type CommandContext, commandContext } from '../domain/command/context.ts'
import { Failure } from '../failure/failure.ts'
import { isStorageError, toStorageFailure } from '../failure/storage-failure.ts'
import type { Store, Tx } from '../store/db/db.ts'
import {
  claimJob,
  findJob,
  type Job,
  getLastJobRow,
  listJobsQueuedSince,
  listRunningJobs,
  requeueJob,
  type SettledState,
  settleJob,
  type WaitingJob,
} from '../store/command/jobs.ts'
import { traceWork, type Traces } from '../traces/traces.ts'
import { type FairOptions, FairQueue } from './fair-queue.ts'
import { type JobHandler, jobOrigin, JobStopped } from './handler.ts'
import { Waiters } from './waiters.ts'

export interface RunnerDeps {
  readonly store: Store
  readonly clock: () => Date
  readonly newId: () => string
  readonly log: Logger
  readonly traces?: Traces | undefined
}

interface Outcome {
  readonly state: SettledState
  readonly result?: unknown
}

type Write = (work: (tx: Tx) => Job | undefined) => Promise<Job | undefined>

const LONGEST_TIMER_MS = 3_600_000
const SHORTEST_TIMER_MS = 25
const LARGEST_TIMEOUT_MS = 2 ** 31 - 1
const STOP_GRACE_MS = 5000

/**
 * Runs the jobs in the table `jobs`, one at a time per queue. The rows are authoritative: the state in memory can be
 * lost at any moment and is read again at the next start.
 */
export class JobRunner {
  readonly #deps: RunnerDeps
  readonly #handlers = new Map<string, JobHandler>()
  readonly #queues = new Map<string, PQueue<FairQueue, FairOptions>>()
  readonly #running = new Map<string, AbortController>()
  /** The ends of jobs whose queues already go on. */
  readonly #settling = new Set<Promise<unknown>>()
  /** The jobs that the last transaction started when it queued them. */
  #claimed: Job[] = []
  readonly #deadlines = new Map<string, NodeJS.Timeout>()
  readonly #waiters = new Waiters()
  #mayWait = true
  #waiting: WaitingJob[] = []
  #wake: NodeJS.Timeout | undefined
  #seenRow = 0
  #stopListening: (() => void)[] = []
  #started = false
  #stopping = false

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** Registers the handler of a kind of job. Only before `start`, which resumes unfinished jobs. */
  handle(kind: string, handler: JobHandler): void {
    if (this.#started) throw new Error('The runner has started.')
    this.#handlers.set(kind, handler)
  }

  async start(): Promise<void> {
    const { store, log } = this.#deps
    for (const job of store.read(listRunningJobs)) await this.#resume(job)
    this.#started = true
    this.#discover()
    this.#stopListening = [
      store.onCommit(() => this.#discover()),
      store.endCommitsWith(
        (tx) => this.#claimAtOnce(tx),
        (error) => log.error({ err: error }, 'new jobs could not be started at once'),
      ),
    ]
  }

  /** False when the job is unknown or settled. A running job settles when its handler returns. */
  async cancel(jobId: string): Promise<boolean> {
    const running = this.#running.get(jobId)
    // Not patiently: a request waits for it.
    if (running === undefined)
      return this.#settle(jobId, { state: 'cancelled' }, (work) => this.#deps.store.write(work))
    running.abort(new JobStopped('cancelled'))
    return true
  }

  /** The settled job, or undefined when it has not settled in time, `signal` ends the wait or the daemon stops. */
  waitUntilSettled(jobId: string, withinMs: number, signal?: AbortSignal): Promise<Job | undefined> {
    const job = this.#deps.store.read((reader) => findJob(reader, jobId))
    const waiting = job?.state === 'queued' || job?.state === 'running'
    return waiting && this.#mayWait
      ? this.#waiters.wait(jobId, withinMs, signal)
      : Promise.resolve(waiting ? undefined : job)
  }

  /** Runs a task between the jobs of a queue. It leaves no row, so it is lost when the daemon stops. */
  runInQueue<T>(name: string, options: FairOptions & { signal: AbortSignal }, work: () => Promise<T>): Promise<T> {
    if (this.#stopping) return Promise.reject(new Failure('SHUTTING_DOWN', 'The daemon is stopping.'))
    return this.#queue(name).add(work, options)
  }

  /** The number of jobs and other tasks that wait or run in a queue. */
  countInQueue(name: string): number {
    const queue = this.#queues.get(name)
    return queue === undefined ? 0 : queue.size + queue.pending
  }

  /** Queues the jobs whose `run_after` has passed. A timer calls it; call it only after moving the clock. */
  dispatchDue(): void {
    const now = this.#now()
    const due = this.#waiting.filter((job) => job.run_after <= now)
    this.#waiting = this.#waiting.filter((job) => job.run_after > now)
    // A queue starts with the first job added to it, so the highest priority is added first.
    for (const job of due.toSorted((a, b) => b.priority - a.priority)) this.#enqueue(job)
    this.#armWake()
  }

  /** Answers all requests that wait for a job, and lets no other wait. Jobs go on. */
  releaseWaiters(): void {
    this.#mayWait = false
    this.#waiters.releaseAll()
  }

  /** Stops running jobs and starts no others. Unfinished jobs stay in the table. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#mayWait = false
    for (const stopListening of this.#stopListening) stopListening()
    clearTimeout(this.#wake)
    for (const timer of this.#deadlines.values()) clearTimeout(timer)
    for (const queue of this.#queues.values()) queue.clear()
    for (const running of this.#running.values()) running.abort(new JobStopped('interrupted'))
    const idle = Promise.all([...this.#queues.values()].map((queue) => queue.onIdle()))
    const settled = idle.then(() => Promise.all(this.#settling))
    await Promise.race([settled, sleep(STOP_GRACE_MS, undefined, { ref: false })])
    this.#waiters.releaseAll()
  }

  /** Requeues or closes a job that was running when the daemon stopped. */
  async #resume({ job_id, kind }: Job): Promise<void> {
    if (this.#handlers.get(kind)?.resume === 'rerun') {
      await this.#deps.store.write((tx) => requeueJob(tx, job_id))
    } else await this.#settle(job_id, { state: 'interrupted' }, (work) => this.#deps.store.write(work))
  }

  /** Reads jobs added since the last call. It must not throw: the store calls it after another caller's commit. */
  #discover(): void {
    const { store, log } = this.#deps
    try {
      for (const job of this.#claimed.splice(0)) this.#startClaimed(job)
      const last = store.read(getLastJobRow)
      if (last === this.#seenRow) return
      const found = store.read((reader) => listJobsQueuedSince(reader, this.#seenRow))
      this.#seenRow = last
      for (const job of found) {
        if (this.#handlers.has(job.kind)) this.#waiting.push(job)
        else log.warn({ job_id: job.job_id, kind: job.kind }, 'no handler for this kind of job')
      }
      this.dispatchDue()
    } catch (error) {
      log.error({ err: error }, 'new jobs could not be read')
    }
  }

  /** Starts new jobs with an empty queue. Called at the end of each transaction. */
  #claimAtOnce(tx: Tx): void {
    this.#claimed = []
    if (getLastJobRow(tx) === this.#seenRow) return
    const now = this.#now()
    const due = listJobsQueuedSince(tx, this.#seenRow).filter(({ run_after }) => run_after <= now)
    const taken = new Set<string>()
    for (const { job_id, kind, lane } of due.toSorted((a, b) => b.priority - a.priority)) {
      if (this.#queues.has(lane) || taken.has(lane)) continue
      taken.add(lane)
      const job = this.#handlers.get(kind)?.startsAtOnce === true ? this.#claim(tx, job_id) : undefined
      if (job !== undefined) this.#claimed.push(job)
    }
  }

  #startClaimed(job: Job): void {
    // Before its turn, which comes at once, so that a cancel in between finds the job.
    const controller = new AbortController()
    if (job.state === 'running') this.#running.set(job.job_id, controller)
    this.#add(job, () => this.#runClaimed(job, controller))
  }

  #enqueue(job: WaitingJob): void {
    this.#add(job, () => this.#run(job.job_id))
  }

  #add(job: WaitingJob, work: () => Promise<void>): void {
    this.#armDeadline(job)
    const { job_id, priority, principal } = job
    this.#queue(job.lane)
      .add(work, { priority, principal })
      .catch((error: unknown) => this.#deps.log.error({ err: error, job_id }, 'job could not be run'))
  }

  #queue(name: string): PQueue<FairQueue, FairOptions> {
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const queue = new PQueue<FairQueue, FairOptions>({ concurrency: 1, queueClass: FairQueue })
    queue.on('idle', () => this.#queues.delete(name))
    this.#queues.set(name, queue)
    return queue
  }

  async #run(jobId: string): Promise<void> {
    if (this.#stopping) return
    // Before the claim, so that a cancel in between finds the job.
    const controller = new AbortController()
    this.#running.set(jobId, controller)
    try {
      const job = await this.#deps.store.writePatiently((tx) => this.#claim(tx, jobId))
      if (job !== undefined) await this.#runClaimed(job, controller)
      else this.#forget(jobId)
    } catch (error) {
      this.#forget(jobId)
      throw error
    }
  }

  /** Resolves when the queue of the job may go on. */
  async #runClaimed(job: Job, { signal }: AbortController): Promise<void> {
    if (job.state !== 'running') {
      this.#forget(job.job_id)
      this.#waiters.notify(job)
      return
    }
    const ended = this.#attempt(job, signal)
    const settled = ended
      .then((outcome) => outcome && this.#settle(job.job_id, outcome))
      .finally(() => this.#forget(job.job_id))
    if (this.#mayContinue(job)) await settled
    else await this.#goOnBefore(settled, { job, ended })
  }

  #mayContinue(job: Job): boolean {
    const handler = this.#handlers.get(job.kind)
    return this.#deps.store.read((reader) => handler?.mayContinue?.(reader, job) ?? true)
  }

  /** Resolves when the job has ended and its end is about to be committed, with whatever the queue writes next. */
  async #goOnBefore(settled: Promise<unknown>, { job, ended }: { job: Job; ended: Promise<unknown> }): Promise<void> {
    const { job_id } = job
    const tracked = settled
      .catch((error: unknown) => this.#deps.log.error({ err: error, job_id }, 'job could not be settled'))
      .finally(() => this.#settling.delete(tracked))
    this.#settling.add(tracked)
    await ended
  }

  #forget(jobId: string): void {
    this.#running.delete(jobId)
    this.#clearDeadline(jobId)
  }

  /** The job, now running or expired. Undefined when it is no longer queued. */
  #claim(tx: Tx, jobId: string): Job | undefined {
    const now = this.#now()
    const late = (findJob(tx, jobId)?.deadline_at ?? now) < now
    if (late) return this.#writeSettled(tx, jobId, { state: 'expired' })
    const job = claimJob(tx, jobId, now)
    if (job !== undefined) this.#handlers.get(job.kind)?.onStarted?.(this.#contextFor(tx, job), job)
    return job
  }

  /** Undefined for a job that the next start runs again. */
  async #attempt(job: Job, signal: AbortSignal): Promise<Outcome | undefined> {
    const handler = this.#handlers.get(job.kind)
    try {
      signal.throwIfAborted()
      return { state: 'succeeded', result: await this.#runTraced(job, signal) }
    } catch (error) {
      const stopped: unknown = signal.aborted ? signal.reason : error
      if (!(stopped instanceof JobStopped)) return this.#failed(job, error)
      const { state, explanation } = stopped
      if (state === 'interrupted' && handler?.resume === 'rerun') return undefined
      return explanation === undefined ? { state } : { state, result: { explanation } }
    }
  }

  async #runTraced(job: Job, signal: AbortSignal): Promise<unknown> {
    const { job_id, kind, lane, authority } = job
    const attributes = { 'apprentice.job_id': job_id, 'apprentice.queue': lane }
    return await traceWork(
      this.#deps.traces,
      { name: `job ${kind}`, attributes, parent: authority?.trace },
      async () => await this.#handlers.get(kind)?.run(job, signal),
    )
  }

  #failed(job: Job, error: unknown): Outcome {
    const { job_id, kind } = job
    const failure =
      error instanceof Failure ? error : (toStorageFailure(error) ?? new Failure('INTERNAL_ERROR', 'The job failed.'))
    this.#deps.log.error({ err: error, job_id, kind }, 'job failed')
    const { code, message, retryable } = failure
    return { state: 'failed', result: { error: { code, message, retryable } } }
  }

  async #settle(
    jobId: string,
    outcome: Outcome,
    write: Write = (work) => this.#deps.store.writePatiently(work),
  ): Promise<boolean> {
    const { log } = this.#deps
    this.#clearDeadline(jobId)
    let job: Job | undefined
    try {
      job = await write((tx) => this.#writeSettled(tx, jobId, outcome))
    } catch (error) {
      if (isStorageError(error)) throw error
      log.error({ err: error, job_id: jobId }, 'the result of a job could not be stored')
      const now = this.#now()
      job = await write((tx) => settleJob(tx, jobId, { state: 'failed', now }))
    }
    if (job !== undefined) this.#waiters.notify(job)
    return job !== undefined
  }

  #writeSettled(tx: Tx, jobId: string, outcome: Outcome): Job | undefined {
    const job = settleJob(tx, jobId, { ...outcome, now: this.#now() })
    if (job !== undefined) this.#handlers.get(job.kind)?.onSettled?.(this.#contextFor(tx, job), job)
    return job
  }

  /** Starts the deadline timer. It measures real time, even when the clock is moved. */
  #armDeadline({ job_id, deadline_at }: WaitingJob): void {
    if (deadline_at === undefined) return
    const remainingMs = Date.parse(deadline_at) - this.#deps.clock().getTime()
    const delayMs = Math.min(Math.max(remainingMs, 0), LARGEST_TIMEOUT_MS)
    const timer = setTimeout(() => this.#expire(job_id), delayMs)
    this.#deadlines.set(job_id, timer.unref())
  }

  #clearDeadline(jobId: string): void {
    clearTimeout(this.#deadlines.get(jobId))
    this.#deadlines.delete(jobId)
  }

  #expire(jobId: string): void {
    const running = this.#running.get(jobId)
    if (running !== undefined) running.abort(new JobStopped('expired'))
    else {
      this.#settle(jobId, { state: 'expired' }).catch((error: unknown) =>
        this.#deps.log.error({ err: error, job_id: jobId }, 'an expired job could not be settled'),
      )
    }
  }

  #armWake(): void {
    clearTimeout(this.#wake)
    if (this.#waiting.length === 0) return
    const next = this.#waiting.reduce((a, b) => (a.run_after < b.run_after ? a : b)).run_after
    const remainingMs = Date.parse(next) - this.#deps.clock().getTime()
    const delayMs = Math.min(Math.max(remainingMs, SHORTEST_TIMER_MS), LONGEST_TIMER_MS)
    this.#wake = setTimeout(() => this.dispatchDue(), delayMs).unref()
  }

  #contextFor(tx: Tx, job: Job): CommandContext {
    const { actor, correlation_id } = jobOrigin(job)
    return commandContext(tx, this.#deps, actor, correlation_id)
  }

  #now(): string {
    return this.#deps.clock().toISOString()
  }
}
