import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { workerFile } from '../config/paths.ts'
import { Failure } from '../failure/failure.ts'
import type { TaskName, TaskRequest, Tasks, WorkerMessage } from './tasks.ts'

export interface PoolLimits {
  readonly processes: number
  /** How long one task may take. */
  readonly timeout_ms: number
  /** How many tasks may wait for a process. */
  readonly waiting: number
  readonly heap_megabytes: number
}

export interface TaskOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: never) => void) | undefined
}

interface OpenTask extends TaskOptions {
  readonly request: TaskRequest
  readonly resolve: (output: never) => void
  readonly reject: (error: Error) => void
}

/** An idle process ends after this time. */
const IDLE_MS = 60_000

/**
 * Runs tasks in processes that can be ended. A task that exceeds its time or memory ends with its process, and the event
 * loop is never blocked by it. Threads would not do: one that runs out of memory can end the whole daemon. Processes
 * start with the first task, end when idle, and do not keep the daemon alive.
 */
export class WorkerPool {
  readonly #limits: PoolLimits
  readonly #processes = new Set<PoolProcess>()
  readonly #waiting: OpenTask[] = []

  constructor(limits: PoolLimits) {
    this.#limits = limits
  }

  async run<N extends TaskName>(
    name: N,
    input: Parameters<Tasks[N]>[0],
    options: TaskOptions = {},
  ): Promise<Awaited<ReturnType<Tasks[N]>>> {
    options.signal?.throwIfAborted()
    if (this.#waiting.length >= this.#limits.waiting) {
      throw new Failure('OVERLOADED', 'Too much work is waiting. Try again later.')
    }
    let stop = (): void => {}
    const working = new Promise<Awaited<ReturnType<Tasks[N]>>>((resolve, reject) => {
      const request = { name, input } as TaskRequest
      const task: OpenTask = { ...options, request, resolve, reject }
      stop = () => this.#withdraw(task)
      options.signal?.addEventListener('abort', stop, { once: true })
      this.#waiting.push(task)
      this.#assign()
    })
    // A signal may outlive many tasks.
    return working.finally(() => options.signal?.removeEventListener('abort', stop))
  }

  /** Gives waiting tasks to idle processes and starts a process if all are busy. */
  #assign(): void {
    while (this.#waiting.length > 0) {
      const idle = [...this.#processes].find((one) => !one.busy)
      if (idle === undefined && this.#processes.size >= this.#limits.processes) return
      const task = this.#waiting.shift()
      if (task !== undefined) (idle ?? this.#startProcess()).start(task)
    }
  }

  #startProcess(): PoolProcess {
    const started = new PoolProcess(this.#limits, {
      onIdle: () => this.#assign(),
      onEnd: () => {
        this.#processes.delete(started)
        this.#assign()
      },
    })
    this.#processes.add(started)
    return started
  }

  #withdraw(task: OpenTask): void {
    const at = this.#waiting.indexOf(task)
    if (at >= 0) this.#waiting.splice(at, 1)
    for (const one of this.#processes) one.endTask(task, abortReason(task))
    task.reject(abortReason(task))
  }
}

const abortReason = ({ signal }: OpenTask): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error('The work was stopped.')

class PoolProcess {
  readonly #child: ChildProcess
  readonly #limits: PoolLimits
  readonly #events: { onIdle(): void; onEnd(): void }
  #task: OpenTask | undefined
  #timer: NodeJS.Timeout | undefined
  #ending = false

  constructor(limits: PoolLimits, events: { onIdle(): void; onEnd(): void }) {
    this.#limits = limits
    this.#events = events
    this.#child = fork(workerFile, {
      execArgv: [`--max-old-space-size=${limits.heap_megabytes}`],
      // The process reads no variables; secrets of the daemon stay out of it.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child.on('message', (message: WorkerMessage) => this.#receive(message))
    this.#child.on('error', (error) => this.#fail(error))
    this.#child.on('exit', (code, signal) => {
      this.#ending = true
      this.#fail(toEndFailure(code, signal))
      events.onEnd()
    })
  }

  /** Whether it cannot take a task. A process that ends still counts until it has ended. */
  get busy(): boolean {
    return this.#ending || this.#task !== undefined
  }

  start(task: OpenTask): void {
    this.#task = task
    clearTimeout(this.#timer)
    this.#child.ref()
    this.#child.channel?.ref()
    this.#timer = setTimeout(() => this.endTask(task, workLimitExceeded('time')), this.#limits.timeout_ms)
    this.#child.send(task.request, (error) => {
      if (error !== null) this.endTask(task, error)
    })
  }

  /** Ends the process if it works on this task. */
  endTask(task: OpenTask, error: Error): void {
    if (this.#task !== task) return
    this.#fail(error)
    this.#end()
  }

  #end(): void {
    this.#ending = true
    this.#child.kill('SIGKILL')
  }

  #receive(message: WorkerMessage): void {
    const task = this.#task
    if (task === undefined) return
    if (message.kind === 'progress') {
      task.onProgress?.(message.progress as never)
      return
    }
    this.#release()
    if (message.kind === 'done') task.resolve(message.output as never)
    else task.reject(toError(message))
    this.#events.onIdle()
  }

  #fail(error: Error): void {
    const task = this.#task
    this.#release()
    task?.reject(error)
  }

  #release(): void {
    this.#task = undefined
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#end(), IDLE_MS).unref()
    this.#child.unref()
    this.#child.channel?.unref()
  }
}

function toError({ failure, error }: Extract<WorkerMessage, { kind: 'failed' }>): Error {
  if (failure === undefined) return error
  const { code, message, details } = failure
  return new Failure(code, message, details === undefined ? {} : { details })
}

/** Node aborts a process that exceeds its memory. */
const toEndFailure = (code: number | null, signal: NodeJS.Signals | null): Error =>
  signal === 'SIGABRT' || code === 134 ? workLimitExceeded('memory') : new Error('The worker ended.')

const workLimitExceeded = (what: 'time' | 'memory'): Failure =>
  new Failure('WORK_LIMIT_EXCEEDED', `This input takes more ${what} than one request may use. Send less.`, {
    details: { limit: what },
  })

/** For requests that wait for the result. Daemons of one process share them, because workers keep no state. */
export const requestWorkers = new WorkerPool({
  processes: Math.max(1, Math.min(2, availableParallelism() - 1)),
  timeout_ms: 10_000,
  waiting: 32,
  heap_megabytes: 256,
})

/** For the interpretation of demonstrations. It takes seconds, so it must not delay other requests. */
export const lessonWorkers = new WorkerPool({ processes: 1, timeout_ms: 120_000, waiting: 100, heap_megabytes: 512 })

/** For jobs. They have a process of their own, so that a large job delays no request. */
export const jobWorkers = new WorkerPool({ processes: 1, timeout_ms: 120_000, waiting: 1000, heap_megabytes: 512 })
