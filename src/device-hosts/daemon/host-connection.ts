import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Execution, ResultEnvelope } from '@apprentice/contracts/devices/execution.ts'
import { type CallLimits, withLimits } from '../../devices/adb/call-limits.ts'
import { TransportFailure } from '../../devices/adb/transport-failure.ts'
import type { EngineHost } from '../../devices/engine/engine-host.ts'
import { unpackContents } from '../wire/contents.ts'
import { readError } from '../wire/errors.ts'
import { type HostKeys, queueName } from '../wire/keys.ts'
import type {
  AnnouncedDevice,
  Answer,
  DownMessage,
  HandedExecution,
  ReadingMethod,
  UpMessage,
} from '../wire/messages.ts'
import { Seal } from '../wire/seal.ts'
import { formatFullSerial } from '../wire/serials.ts'
import { Receiver, Sender } from '../wire/sender.ts'
import { ReceivedContents } from './received-contents.ts'
import { RemoteExecution } from './remote-execution.ts'

export interface ConnectedHost {
  readonly host_id: string
  readonly name: string
  readonly token_sha256: string
  readonly version: string
}

export interface ConnectionDeps {
  readonly redis: Redis
  readonly keys: HostKeys
  readonly host: ConnectedHost
  readonly lostAfterMs: number
  readonly onDevices: (devices: readonly AnnouncedDevice[]) => void
  /** Messages were lost or could not be processed. */
  readonly onBroken: (error: unknown) => void
}

interface Read {
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** A host gets this long to confirm that it stopped an execution whose gate is closed already. */
const STOP_CONFIRM_MS = 3000

/** One connection of one host: what it announced, and what it does for the daemon. */
export class HostConnection {
  readonly connection_id = randomUUID()
  readonly host: ConnectedHost
  readonly contents = new ReceivedContents()
  lastHeardMs = performance.now()
  devices: readonly AnnouncedDevice[] = []
  readonly #deps: ConnectionDeps
  readonly #jobs: Seal
  readonly #receiver: Receiver
  readonly #sender: Sender
  readonly #queues = new Map<string, Queue>()
  readonly #executions = new Map<string, RemoteExecution>()
  readonly #reads = new Map<string, Read>()
  #ended: string | undefined

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
    this.host = deps.host
    const { redis, keys, host } = deps
    this.#jobs = new Seal(host.token_sha256, this.connection_id, 'to_host')
    this.#receiver = new Receiver(new Seal(host.token_sha256, this.connection_id, 'to_daemon'))
    this.#sender = new Sender({
      redis,
      key: keys.down(this.connection_id),
      seal: this.#jobs,
      labels: {},
      onError: deps.onBroken,
    })
  }

  get silentMs(): number {
    return performance.now() - this.lastHeardMs
  }

  get isOver(): boolean {
    return this.#ended !== undefined
  }

  receive(fields: Readonly<Record<string, string>>): void {
    try {
      for (const packed of this.#receiver.open(fields)) this.#process(this.#unpack(packed))
    } catch (error) {
      this.#deps.onBroken(error)
    }
  }

  /** Reads from a device of the host. */
  read(serial: string, { method, args }: { method: ReadingMethod; args: readonly unknown[] }, limits: CallLimits) {
    const subject = { serial: this.toFullSerial(serial), what: 'reading through its host' }
    return withLimits(limits, subject, (scope) => {
      if (this.#ended !== undefined) throw this.#toLoss(serial)
      const id = randomUUID()
      scope.onEnd(() => this.#reads.delete(id))
      return new Promise<unknown>((resolve, reject) => {
        this.#reads.set(id, { resolve, reject })
        void this.#send({ type: 'read', id, serial, method, args, timeoutMs: limits.timeoutMs })
      })
    })
  }

  /** Has the host run an execution, once. Rejects with `HostLost` if its end is not known. */
  async execute(serial: string, execution: Execution, engine: EngineHost): Promise<ResultEnvelope> {
    const { redis, keys } = this.#deps
    const fence = randomUUID()
    const gate = keys.gate(this.connection_id, serial)
    const remote = new RemoteExecution(engine, this.toFullSerial(serial))
    this.#executions.set(fence, remote)
    if (this.#ended !== undefined) remote.lose(this.#ended)
    const stop = () => void this.#send({ type: 'stop', fence })
    engine.signal.addEventListener('abort', stop)
    try {
      const handed = this.#handOver(gate, toHanded(serial, execution, { engine, fence }))
      handed.catch((error: unknown) => remote.lose(`The execution could not be handed over: ${String(error)}`))
      const result = await this.#untilEnded(remote, engine.signal)
      engine.signal.throwIfAborted()
      return RemoteExecution.readResult(result, this.toFullSerial(serial))
    } finally {
      engine.signal.removeEventListener('abort', stop)
      this.#executions.delete(fence)
      // Whatever the host still does for this job, no further command of it passes.
      await Promise.race([redis.del(gate).catch(() => {}), waitFor(STOP_CONFIRM_MS)])
    }
  }

  /** Ends the connection. What ran on it is lost; nothing of it may act any more. */
  async end(reason: string): Promise<void> {
    if (this.#ended !== undefined) return
    this.#ended = reason
    for (const read of this.#reads.values()) read.reject(this.#toLoss(''))
    for (const remote of this.#executions.values()) remote.lose(reason)
    const { redis, keys } = this.#deps
    const gates = this.devices.map(({ serial }) => keys.gate(this.connection_id, serial))
    await redis.del(keys.current(this.host.host_id), keys.down(this.connection_id), ...gates)
    for (const queue of this.#queues.values()) {
      await queue.obliterate({ force: true })
      await queue.close()
    }
  }

  toFullSerial(serial: string): string {
    return formatFullSerial(this.host.name, serial)
  }

  #toLoss(serial: string): TransportFailure {
    return new TransportFailure('device_lost', `the host of the device is gone: ${this.#ended}`, {
      serial: this.toFullSerial(serial),
    })
  }

  async #handOver(gate: string, handed: HandedExecution): Promise<void> {
    const { redis } = this.#deps
    const queue = this.#queue(handed.serial)
    // It may have ended already. Its gate, which is closed at its end, must not be opened after that.
    if (this.#ended !== undefined || !this.#executions.has(handed.fence)) return
    await redis.set(gate, handed.fence)
    const sealed = this.#jobs.close(JSON.stringify(handed), `job ${handed.fence}`)
    await queue.add(
      'execution',
      { sealed },
      { jobId: handed.fence, attempts: 1, removeOnComplete: true, removeOnFail: true },
    )
  }

  #queue(serial: string): Queue {
    const known = this.#queues.get(serial)
    if (known !== undefined) return known
    const { redis, keys } = this.#deps
    const queue = new Queue(queueName(this.connection_id, serial), { connection: redis, prefix: keys.queues })
    queue.on('error', () => {})
    this.#queues.set(serial, queue)
    return queue
  }

  /** A stopped execution is waited for, but not for long: its gate closes anyway. */
  async #untilEnded(remote: RemoteExecution, signal: AbortSignal) {
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve()
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    const late = aborted
      .then(() => waitFor(STOP_CONFIRM_MS))
      .then(() => {
        throw signal.reason
      })
    late.catch(() => {})
    return Promise.race([remote.ended, late])
  }

  #send(message: DownMessage): Promise<void> {
    return this.#sender.send(message).catch(() => {})
  }

  #unpack(packed: unknown): UpMessage {
    // Written by the host, which alone has the key. It is the same program.
    return unpackContents(packed, (sha256) => this.contents.take(sha256)) as UpMessage
  }

  #process(message: UpMessage): void {
    const { silentMs } = this
    this.lastHeardMs = performance.now()
    switch (message.type) {
      case 'beat':
        return this.#checkTaken(message.running, silentMs)
      case 'devices':
        this.devices = message.devices
        return this.#deps.onDevices(message.devices)
      case 'answer':
        return this.#settleRead(message.id, message.answer)
      case 'event':
        return this.#executions.get(message.fence)?.event(message.event)
      case 'ask':
        return void this.#answer(message)
      case 'result':
        return this.#executions.get(message.fence)?.end(message.result)
    }
  }

  /**
   * Loses what the host does not take. If the reply of Redis to it is lost, the job counts as taken in Redis, and the host
   * knows nothing of it.
   */
  #checkTaken(running: readonly string[], silentMs: number): void {
    const { lostAfterMs } = this.#deps
    for (const [fence, remote] of this.#executions) {
      if (running.includes(fence)) remote.isTaken = true
      if (remote.isTaken) continue
      // Heartbeats that were held up say nothing about the time since.
      if (remote.untakenSinceMs === undefined || silentMs > lostAfterMs / 2) remote.untakenSinceMs = this.lastHeardMs
      else if (this.lastHeardMs - remote.untakenSinceMs > lostAfterMs)
        remote.lose('The host did not take the execution.')
    }
  }

  #settleRead(id: string, answer: Answer): void {
    const read = this.#reads.get(id)
    if ('error' in answer) read?.reject(readError(answer.error))
    else read?.resolve(answer.value)
  }

  async #answer({ id, fence, question }: Extract<UpMessage, { type: 'ask' }>): Promise<void> {
    const answer = await this.#executions.get(fence)?.ask(question)
    if (answer !== undefined) await this.#send({ type: 'answer', id, answer })
  }
}

const waitFor = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })

function toHanded(
  serial: string,
  execution: Execution,
  { engine, fence }: { readonly engine: EngineHost; readonly fence: string },
): HandedExecution {
  return {
    fence,
    serial,
    execution,
    timeoutMs: engine.timeoutMs,
    callTimeoutMs: engine.callTimeoutMs,
    captureEvidence: engine.captureEvidence === true,
    wants: {
      readings: engine.onReading !== undefined || engine.captureEvidence === true,
      admission: engine.admit !== undefined,
      recording: engine.recording !== undefined,
    },
  }
}
