import type { AdbClient } from '../adb/adb-client.ts'
import { CallGroup, startBudget, withLimits } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { runWithMarker, runShellV2 } from './command-stream.ts'
import type { CommandResult, DeviceAddress } from './command-stream.ts'
import { PersistentShell } from './persistent-shell.ts'
import type { TransportFailure } from '../adb/transport-failure.ts'

/** Runs command lines on a device. */
export interface CommandRunner {
  readonly serial: string
  run(commandLine: string, limits: CallLimits): Promise<CommandResult>
}

/**
 * Runs the commands of one device. They go through the persistent shell while it is idle, else through a
 * stream of their own, so that a busy or broken shell delays no command.
 */
export class DeviceShell implements CommandRunner {
  readonly #client: AdbClient
  readonly #device: DeviceAddress
  readonly #lost: (failure: TransportFailure) => void
  #features: Promise<ReadonlySet<string>> | undefined
  /** The settled value of `#features`. */
  #knownFeatures: ReadonlySet<string> | undefined
  #persistent: PersistentShell | undefined
  #opening: Promise<boolean> | undefined
  /** The calls outside the persistent shell, so that `close` cancels them too. */
  readonly #calls = new CallGroup()

  /** `lost` is called when the device ends the persistent shell. */
  constructor(client: AdbClient, serial: string, lost: (failure: TransportFailure) => void = () => {}) {
    this.#client = client
    this.#device = { server: client.server, serial }
    this.#lost = lost
  }

  get serial(): string {
    return this.#device.serial
  }

  run(commandLine: string, limits: CallLimits): Promise<CommandResult> {
    if (this.#persistent?.idle && PersistentShell.accepts(commandLine)) {
      return this.#persistent.run(commandLine, limits)
    }
    // Calls that are already over take the other path, which rejects before anything is opened.
    const isActive = limits.timeoutMs > 0 && limits.signal?.aborted !== true
    return this.#knownFeatures && isActive
      ? this.#runOnStream(this.#knownFeatures, commandLine, this.#withGroup(limits))
      : this.#runWithFeatures(commandLine, this.#withGroup(limits))
  }

  /** Requested once per connection: features change only when the device reconnects. */
  features(limits: CallLimits): Promise<ReadonlySet<string>> {
    const subject = { serial: this.serial, what: 'reading device features' }
    return withLimits(limits, subject, () => (this.#features ??= this.#requestFeatures()))
  }

  /** Opens the persistent shell. Returns false if the device does not support it or opening fails. */
  openPersistent(limits: CallLimits): Promise<boolean> {
    if (this.#calls.closed) return Promise.resolve(false)
    if (this.#persistent) return Promise.resolve(true)
    this.#opening ??= this.#open(this.#withGroup(limits)).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Whether the device responds. An idle shell must echo; a busy one counts as responding. */
  async isResponsive(limits: CallLimits): Promise<boolean> {
    if (this.#persistent && !this.#persistent.idle) return true
    try {
      return (await this.run('echo', limits)).exitCode === 0
    } catch {
      return false
    }
  }

  /** The device is gone: discards the state of its connection. */
  reset(): void {
    this.#drop('device_lost')
  }

  close(): void {
    this.#drop('aborted')
    this.#calls.close()
  }

  #withGroup({ timeoutMs, signal }: CallLimits): CallLimits {
    return { timeoutMs, signal, group: this.#calls }
  }

  async #runWithFeatures(commandLine: string, limits: CallLimits): Promise<CommandResult> {
    const budget = startBudget(limits)
    const features = await this.features(budget.remainingLimits())
    return this.#runOnStream(features, commandLine, budget.remainingLimits())
  }

  #runOnStream(features: ReadonlySet<string>, commandLine: string, limits: CallLimits): Promise<CommandResult> {
    if (!features.has('shell_v2')) return runWithMarker(this.#device, commandLine, limits)
    if (!this.#persistent) void this.openPersistent({ timeoutMs: OPEN_TIMEOUT_MS })
    return runShellV2(this.#device, commandLine, limits)
  }

  #drop(reason: 'device_lost' | 'aborted'): void {
    this.#features = undefined
    this.#knownFeatures = undefined
    const persistent = this.#persistent
    this.#persistent = undefined
    persistent?.close(reason)
  }

  /** Shared by all callers, so it has its own limits. */
  #requestFeatures(): Promise<ReadonlySet<string>> {
    const limits = this.#withGroup({ timeoutMs: OPEN_TIMEOUT_MS })
    const request = this.#client.features(this.serial, limits)
    request.then(
      (features) => this.#storeFeatures(request, features),
      () => this.#storeFeatures(request, undefined),
    )
    return request
  }

  #storeFeatures(request: Promise<ReadonlySet<string>>, features: ReadonlySet<string> | undefined): void {
    if (this.#features !== request) return
    this.#knownFeatures = features
    if (features === undefined) this.#features = undefined
  }

  async #open(limits: CallLimits): Promise<boolean> {
    const budget = startBudget(limits)
    try {
      if (!(await this.features(budget.remainingLimits())).has('shell_v2')) return false
      const shell = await PersistentShell.open(this.#device, budget.remainingLimits(), {
        lost: (failure) => {
          this.reset()
          this.#lost(failure)
        },
        abandoned: () => {
          this.#persistent = undefined
        },
      })
      if (this.#calls.closed || !shell.idle) {
        shell.close('aborted')
        return false
      }
      this.#persistent = shell
      return true
    } catch {
      return false
    }
  }
}

const OPEN_TIMEOUT_MS = 5000
