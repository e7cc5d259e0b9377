import type { AdbClient } from '../adb/adb-client.ts'
import { CallGroup, startBudget, within } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { runMarked, runShellV2 } from './command-stream.ts'
import type { CommandResult, DeviceAddress } from './command-stream.ts'
import { PersistentShell } from './persistent-shell.ts'
import type { TransportFailure } from '../adb/transport-failure.ts'

/** Runs command lines on a device. */
export interface CommandRunner {
  readonly serial: string
  run(commandLine: string, limits: CallLimits): Promise<CommandResult>
}

/**
 * The commands of one device. They go through one long-lived shell while it is free, else through a
 * stream of their own, so that neither a busy nor a broken shell makes a command wait.
 */
export class DeviceShell implements CommandRunner {
  readonly #client: AdbClient
  readonly #device: DeviceAddress
  readonly #lost: (failure: TransportFailure) => void
  #features: Promise<ReadonlySet<string>> | undefined
  /** What the promise above came to. */
  #spoken: ReadonlySet<string> | undefined
  #hot: PersistentShell | undefined
  #opening: Promise<boolean> | undefined
  /** What is under way beside the long-lived shell, so that closing ends it too. */
  readonly #calls = new CallGroup()

  /** `lost` is called when the far side ends the long-lived shell. */
  constructor(
    client: AdbClient,
    serial: string,
    lost: (failure: TransportFailure) => void = () => {},
  ) {
    this.#client = client
    this.#device = { server: client.server, serial }
    this.#lost = lost
  }

  get serial(): string {
    return this.#device.serial
  }

  run(commandLine: string, limits: CallLimits): Promise<CommandResult> {
    if (this.#hot?.idle && PersistentShell.accepts(commandLine)) {
      return this.#hot.run(commandLine, limits)
    }
    // Who has given up already is refused on the longer way, and nothing is opened for them.
    const waits = limits.timeoutMs > 0 && limits.signal?.aborted !== true
    return this.#spoken && waits
      ? this.#runOnStream(this.#spoken, commandLine, this.#guarded(limits))
      : this.#askAndRun(commandLine, this.#guarded(limits))
  }

  /** Asked once per connection: the answer changes only when the device reconnects. */
  features(limits: CallLimits): Promise<ReadonlySet<string>> {
    const subject = { serial: this.serial, what: 'asking for device features' }
    return within(limits, subject, () => (this.#features ??= this.#askFeatures()))
  }

  /** Opens the long-lived shell. False when the device has none or it could not be opened. */
  openHot(limits: CallLimits): Promise<boolean> {
    if (this.#calls.closed) return Promise.resolve(false)
    if (this.#hot) return Promise.resolve(true)
    this.#opening ??= this.#open(this.#guarded(limits)).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Whether the far side still answers: a free shell is asked to echo, a busy one is left alone. */
  async answers(limits: CallLimits): Promise<boolean> {
    if (this.#hot && !this.#hot.idle) return true
    try {
      return (await this.run('echo', limits)).exitCode === 0
    } catch {
      return false
    }
  }

  /** The device went away: forgets what was known of its connection. */
  reset(): void {
    this.#drop('device_lost')
  }

  close(): void {
    this.#drop('aborted')
    this.#calls.close()
  }

  #guarded({ timeoutMs, signal }: CallLimits): CallLimits {
    return { timeoutMs, signal, group: this.#calls }
  }

  async #askAndRun(commandLine: string, limits: CallLimits): Promise<CommandResult> {
    const budget = startBudget(limits)
    const features = await this.features(budget.rest())
    return this.#runOnStream(features, commandLine, budget.rest())
  }

  #runOnStream(
    features: ReadonlySet<string>,
    commandLine: string,
    limits: CallLimits,
  ): Promise<CommandResult> {
    if (!features.has('shell_v2')) return runMarked(this.#device, commandLine, limits)
    if (!this.#hot) void this.openHot({ timeoutMs: OPEN_TIMEOUT_MS })
    return runShellV2(this.#device, commandLine, limits)
  }

  #drop(reason: 'device_lost' | 'aborted'): void {
    this.#features = undefined
    this.#spoken = undefined
    const hot = this.#hot
    this.#hot = undefined
    hot?.close(reason)
  }

  /** Shared by all who wait for it, so it has limits of its own and not those of the first asker. */
  #askFeatures(): Promise<ReadonlySet<string>> {
    const limits = this.#guarded({ timeoutMs: OPEN_TIMEOUT_MS })
    const asked = this.#client.features(this.serial, limits)
    asked.then(
      (features) => this.#note(asked, features),
      () => this.#note(asked, undefined),
    )
    return asked
  }

  #note(asked: Promise<ReadonlySet<string>>, features: ReadonlySet<string> | undefined): void {
    if (this.#features !== asked) return
    this.#spoken = features
    if (features === undefined) this.#features = undefined
  }

  async #open(limits: CallLimits): Promise<boolean> {
    const budget = startBudget(limits)
    try {
      if (!(await this.features(budget.rest())).has('shell_v2')) return false
      const shell = await PersistentShell.open(this.#device, budget.rest(), {
        lost: (failure) => {
          this.reset()
          this.#lost(failure)
        },
        abandoned: () => {
          this.#hot = undefined
        },
      })
      if (this.#calls.closed || !shell.idle) {
        shell.close('aborted')
        return false
      }
      this.#hot = shell
      return true
    } catch {
      return false
    }
  }
}

const OPEN_TIMEOUT_MS = 5000
