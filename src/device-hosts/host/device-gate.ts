import type { Redis } from 'ioredis'
import { type CallLimits, pause, startBudget, withLimits } from '../../devices/adb/call-limits.ts'
import type { CommandResult } from '../../devices/shell/command-stream.ts'
import type { CommandRunner } from '../../devices/shell/device-shell.ts'
import type { HostKeys } from '../wire/keys.ts'

/** The permission to act on a device was withdrawn: the daemon has given up the job, or another daemon has started. */
export class GateClosed extends Error {
  override readonly name = 'GateClosed'
}

export interface GateDeps {
  readonly redis: Redis
  readonly keys: HostKeys
  readonly connectionId: string
  /** The daemon that issued the token. */
  readonly epoch: string
  readonly serial: string
  readonly fence: string
  readonly onClosed: (error: GateClosed) => void
}

/** An answer is used within this time only: a host that froze after it must ask again. */
const ANSWER_VALID_MS = 500
/** While the daemon does not renew its key, it is asked for again. */
const ABSENT_PAUSE_MS = 100

/** The gate of one device for one job. The daemon opens it when it hands the job over, and closes it when the job ends. */
export class DeviceGate {
  readonly #deps: GateDeps

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  /** Resolves when the job may act, with the time until which the answer may be used. */
  pass(limits: CallLimits): Promise<number> {
    const subject = { serial: this.#deps.serial, what: 'permission to act' }
    return withLimits(limits, subject, () => this.#ask(limits))
  }

  async #ask({ signal }: CallLimits): Promise<number> {
    const { redis, keys, connectionId, serial, fence, epoch } = this.#deps
    for (;;) {
      signal?.throwIfAborted()
      const askedAt = performance.now()
      const [daemon, open] = await redis.mget(keys.epoch, keys.gate(connectionId, serial))
      if (daemon === null) {
        // The daemon is late or dead. If another one starts, its key differs.
        await pause(ABSENT_PAUSE_MS, signal)
        continue
      }
      if (daemon !== epoch || open !== fence) throw this.#close()
      if (performance.now() - askedAt < ANSWER_VALID_MS) return askedAt + ANSWER_VALID_MS
    }
  }

  #close(): GateClosed {
    const error = new GateClosed('The daemon has given up this job.')
    this.#deps.onClosed(error)
    return error
  }
}

/** Runs commands on a device only while the gate of a job is open. Each command asks first. */
export class GatedRunner implements CommandRunner {
  readonly #runner: CommandRunner
  readonly #gate: DeviceGate

  constructor(runner: CommandRunner, gate: DeviceGate) {
    this.#runner = runner
    this.#gate = gate
  }

  get serial(): string {
    return this.#runner.serial
  }

  async run(commandLine: string, limits: CallLimits): Promise<CommandResult> {
    const budget = startBudget(limits)
    for (;;) {
      const validUntil = await this.#gate.pass(budget.remainingLimits())
      // Nothing may run between this comparison and the command: the process may have been stopped before it.
      if (performance.now() < validUntil) return this.#runner.run(commandLine, budget.remainingLimits())
    }
  }
}
