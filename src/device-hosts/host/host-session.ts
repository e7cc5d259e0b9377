import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Job, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { printError, readError } from '../wire/errors.ts'
import { type HostKeys, queueName } from '../wire/keys.ts'
import type {
  AnnouncedDevice,
  Answer,
  DownMessage,
  EngineEvent,
  EngineQuestion,
  HandedExecution,
  UpMessage,
} from '../wire/messages.ts'
import { followStream } from '../wire/redis.ts'
import { Seal } from '../wire/seal.ts'
import { Receiver, Sender } from '../wire/sender.ts'
import type { SendContent } from '../wire/contents.ts'
import { type HostedDevice, type ReportLink, runHanded } from './handed-execution.ts'
import { readDevice } from './readings.ts'

export interface SessionDeps {
  readonly redis: Redis
  readonly keys: HostKeys
  readonly tokenSha256: string
  readonly hostId: string
  readonly connectionId: string
  readonly epoch: string
  readonly heartbeatMs: number
  readonly lostAfterMs: number
  readonly log: Logger
  readonly sendContent: SendContent
  readonly device: (serial: string) => HostedDevice
  readonly listDevices: () => readonly AnnouncedDevice[]
}

interface Question {
  readonly fence: string
  resolve(value: unknown): void
  reject(error: unknown): void
}

const WORKER_DRAIN_S = 2
const CLOSE_MS = 1000

/** One connection of a host to a daemon. When it ends, everything that runs on it is stopped. */
export class HostSession {
  readonly #deps: SessionDeps
  readonly #sender: Sender
  readonly #jobs: Seal
  readonly #workers = new Map<string, Worker>()
  readonly #running = new Map<string, AbortController>()
  /** The jobs that were begun. A job that Redis delivers again is not run again. */
  readonly #begun = new Set<string>()
  readonly #questions = new Map<string, Question>()
  readonly #over = new AbortController()
  #heartbeat: NodeJS.Timeout | undefined
  #beatAt = performance.now()

  constructor(deps: SessionDeps) {
    this.#deps = deps
    const { redis, keys, tokenSha256, hostId, connectionId, sendContent } = deps
    this.#jobs = new Seal(tokenSha256, connectionId, 'to_host')
    this.#sender = new Sender({
      redis,
      key: keys.up,
      seal: new Seal(tokenSha256, connectionId, 'to_daemon'),
      labels: { host: hostId, connection: connectionId },
      sendContent,
      onError: (error) => this.#end(`a message could not be sent: ${String(error)}`),
    })
  }

  /** Serves the devices until the connection ends, and resolves with the reason. */
  async serve(signal: AbortSignal): Promise<string> {
    const { redis, keys, connectionId, heartbeatMs } = this.#deps
    const over = this.#over.signal
    const stop = () => this.#end('the host stops')
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    const receiver = new Receiver(this.#jobs)
    this.announce()
    this.#heartbeat = setInterval(() => void this.#beat(), heartbeatMs)
    try {
      await followStream(redis, { key: keys.down(connectionId), signal: over, trim: true }, (fields) => {
        // Written by the daemon, which alone has the key beside this host.
        for (const message of receiver.open(fields)) this.#receive(message as DownMessage)
      })
    } catch (error) {
      this.#end(`messages of the daemon were lost: ${String(error)}`)
    }
    signal.removeEventListener('abort', stop)
    clearInterval(this.#heartbeat)
    const closed = Promise.all([...this.#workers.values()].map((worker) => worker.close(true).catch(() => {})))
    // Without Redis it may never end. Nothing of this connection acts any more.
    await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })])
    return String(over.reason)
  }

  /** Tells the daemon which devices there are, and serves the queues of those that are new. */
  announce(): void {
    if (this.#over.signal.aborted) return
    const devices = this.#deps.listDevices()
    void this.#send({ type: 'devices', devices })
    for (const { serial, state } of devices) {
      if (state === 'device' && !this.#workers.has(serial)) this.#workers.set(serial, this.#serveQueue(serial))
    }
  }

  #end(reason: string): void {
    if (this.#over.signal.aborted) return
    this.#over.abort(reason)
    for (const running of this.#running.values()) running.abort(new Error(reason))
    for (const question of this.#questions.values()) question.reject(new Error(reason))
    this.#questions.clear()
  }

  /** Stays known to the daemon, and learns whether the daemon has given up this connection. */
  async #beat(): Promise<void> {
    const { redis, keys, hostId, connectionId, epoch, lostAfterMs } = this.#deps
    const silentMs = performance.now() - this.#beatAt
    this.#beatAt = performance.now()
    // This process was stopped for so long that the daemon has given it up.
    if (silentMs > lostAfterMs) return this.#end('the host was silent for too long')
    void this.#send({ type: 'beat', running: [...this.#running.keys()] })
    const read = await redis.mget(keys.epoch, keys.current(hostId)).catch(() => undefined)
    const [daemon, current] = read ?? [null]
    if (daemon === null || daemon === undefined) return
    if (daemon !== epoch) this.#end('another daemon has started')
    else if (current !== connectionId) this.#end('the daemon has given up this connection')
  }

  #send(message: UpMessage): Promise<void> {
    return this.#sender.send(message).catch(() => {})
  }

  #receive(message: DownMessage): void {
    switch (message.type) {
      case 'read':
        return void this.#answerReading(message)
      case 'stop':
        // It may arrive before the job does.
        this.#begun.add(message.fence)
        return this.#running.get(message.fence)?.abort(new Error('The daemon stopped the job.'))
      case 'answer':
        return this.#settleQuestion(message.id, message.answer)
    }
  }

  async #answerReading(request: Extract<DownMessage, { type: 'read' }>): Promise<void> {
    const { device } = this.#deps
    const answer: Answer = await readDevice(device(request.serial), request, this.#over.signal).then(
      (value) => ({ value }),
      (error: unknown) => ({ error: printError(error) }),
    )
    await this.#send({ type: 'answer', id: request.id, answer })
  }

  #settleQuestion(id: string, answer: Answer): void {
    const question = this.#questions.get(id)
    this.#questions.delete(id)
    if ('value' in answer) question?.resolve(answer.value)
    else if ('error' in answer) question?.reject(readError(answer.error))
    else question?.resolve(undefined)
  }

  #serveQueue(serial: string): Worker {
    const { redis, keys, connectionId, lostAfterMs, log } = this.#deps
    const worker = new Worker(queueName(connectionId, serial), (job) => this.#work(job), {
      connection: redis,
      prefix: keys.queues,
      concurrency: 1,
      lockDuration: lostAfterMs,
      stalledInterval: lostAfterMs,
      // What was running when its host was lost is reported as interrupted and never run again.
      maxStalledCount: 0,
      drainDelay: WORKER_DRAIN_S,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    })
    worker.on('error', (error) => log.debug({ err: error, serial }, 'the queue of a device'))
    return worker
  }

  async #work(job: Job<{ sealed: string }>): Promise<void> {
    const text = this.#jobs.open(job.data.sealed, `job ${job.id}`)
    if (text === undefined) return this.#deps.log.warn({ job_id: job.id }, 'a job of somebody else was refused')
    // Written by the daemon: nobody else has the key.
    const handed = JSON.parse(text) as HandedExecution
    const { fence, serial } = handed
    if (this.#begun.has(fence) || this.#over.signal.aborted) return
    this.#begun.add(fence)
    const controller = new AbortController()
    this.#running.set(fence, controller)
    try {
      const { device } = this.#deps
      const link = this.#linkFor(fence, controller.signal)
      const result = await runHanded(handed, { ...this.#deps, device: device(serial), link, controller })
      await link.flushed()
      await this.#send({ type: 'result', fence, result })
    } finally {
      this.#running.delete(fence)
    }
  }

  #linkFor(fence: string, signal: AbortSignal): ReportLink & { flushed(): Promise<void> } {
    let last: Promise<void> = Promise.resolve()
    /** What is still in preparation must not be overtaken. */
    const inOrder = (message: Promise<UpMessage>) => {
      message.catch(() => {})
      last = last.then(async () => void this.#send(await message)).catch(() => {})
    }
    return {
      tell: (event: EngineEvent | Promise<EngineEvent>) => {
        inOrder(Promise.resolve(event).then((prepared) => ({ type: 'event', fence, event: prepared })))
      },
      ask: (question: EngineQuestion) => {
        const id = randomUUID()
        const answered = new Promise<unknown>((resolve, reject) => {
          this.#questions.set(id, { fence, resolve, reject })
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
          if (signal.aborted) reject(signal.reason as Error)
        })
        answered.catch(() => {})
        inOrder(Promise.resolve({ type: 'ask', fence, id, question }))
        return answered.finally(() => this.#questions.delete(id))
      },
      flushed: () => last,
    }
  }
}
