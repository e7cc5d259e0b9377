import type { Config } from '../../config/config.ts'
import type { RedisAddress } from '../../config/redis-address.ts'
import type { DeviceFacts } from '@apprentice/contracts/devices/device.ts'
import type { Execution, ResultEnvelope } from '@apprentice/contracts/devices/execution.ts'
import { AdbClient } from '../../devices/adb/adb-client.ts'
import type { CallLimits } from '../../devices/adb/call-limits.ts'
import { RemoteDriver } from '../../device-hosts/daemon/remote-driver.ts'
import { runRemotely } from '../../device-hosts/daemon/remote-engine.ts'
import type { DeviceHosts } from '../../device-hosts/daemon/device-hosts.ts'
import { parseFullSerial } from '../../device-hosts/wire/serials.ts'
import { AndroidDriver } from '../../devices/driver/android-driver.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import type { AppBuild } from '../../devices/driver/fact-parsers.ts'
import { type DeviceLog, type LogRequest, readDeviceLog } from '../../devices/driver/device-log.ts'
import type { EngineHost } from '../../devices/engine/engine-host.ts'
import { runExecution } from '../../devices/engine/execution/run-execution.ts'
import { Presence } from '../../devices/presence/presence.ts'
import { RecordingFailure } from '../../devices/recording/recording-failure.ts'
import { DeviceShell } from '../../devices/shell/device-shell.ts'
import type { TouchDevice } from '../../devices/touch/touch-setup.ts'
import { toFacts } from '../../devices/driver/facts-view.ts'
import { type CommandContext, DAEMON_ACTOR, writePatientlyAs } from '../../domain/command/context.ts'
import { deviceQueueName } from '../../domain/devices/executions.ts'
import { recordDeviceFacts, recordSighting } from '../../domain/devices/device-record.ts'
import type { JobRunner, RunnerDeps } from '../../jobs/runner.ts'
import { listDevices } from '../../store/devices/devices.ts'
import type { PhoneInUse } from './phone-in-use.ts'

const FACTS_TIMEOUT_MS = 5000

export interface DeviceManagerDeps extends RunnerDeps {
  readonly jobs: JobRunner
  readonly phone: PhoneInUse
}

/** On whose behalf a device is used, and for how long at most. */
export interface DeviceAccess {
  /** The queue of a device serves principals in turn. */
  readonly principal: string
  /** Covers the wait for the queue and the work itself. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

/** The devices of the daemon's adb server, and those of connected hosts: which exist, a driver and a queue for each, and what is known about them. */
export class DeviceManager {
  readonly phone: PhoneInUse
  readonly #deps: DeviceManagerDeps
  readonly #presence: Presence
  /** The hosts of other machines. Absent without Redis. */
  #hosts: DeviceHosts | undefined
  readonly #drivers = new Map<string, Driver>()
  readonly #commandListeners = new Set<(serial: string) => void>()

  constructor(deps: DeviceManagerDeps) {
    this.#deps = deps
    this.phone = deps.phone
    this.#presence = new Presence({
      server: deps.phone.server,
      onStateChange: (sighting) => this.#onSighting(sighting),
    })
  }

  /** Opens the manager and starts to watch which devices are connected, unless no phone is configured. */
  static async open(config: Config, deps: DeviceManagerDeps): Promise<DeviceManager> {
    const devices = new DeviceManager(deps)
    if (config.phone !== 'none') await devices.#presence.start()
    if (config.redis !== undefined) await devices.#openHosts(config.redis, config.settings.hosts)
    return devices
  }

  get hosts(): DeviceHosts | undefined {
    return this.#hosts
  }

  /** Runs an execution where its device is: on this machine, or by the host of the device. */
  runExecution(execution: Execution, engine: EngineHost): Promise<ResultEnvelope> {
    const isRemote = parseFullSerial(engine.driver.serial) !== undefined
    return isRemote && this.#hosts !== undefined
      ? runRemotely(this.#hosts, execution, engine)
      : runExecution(execution, engine)
  }

  /** Reads the log of a device. */
  async readLog(serial: string, window: Omit<LogRequest, 'hostNow'>, limits: CallLimits): Promise<DeviceLog> {
    const driver = this.driver(serial)
    if (driver instanceof RemoteDriver) return driver.log(window, limits)
    const shell = new DeviceShell(new AdbClient(this.phone.server), serial)
    try {
      return await readDeviceLog(shell, { ...window, hostNow: () => this.#deps.clock().getTime() }, limits)
    } finally {
      shell.close()
    }
  }

  /** Returns the driver of a device, connected or not. Calls to an absent device fail with `TransportFailure`. */
  driver(serial: string): Driver {
    const known = this.#drivers.get(serial)
    if (known) return known
    const driver = this.#createDriver(serial)
    this.#drivers.set(serial, driver)
    return driver
  }

  /** Returns what the touch recorder needs of a device. */
  touchDevice(serial: string): TouchDevice {
    if (parseFullSerial(serial) !== undefined) {
      throw new RecordingFailure(
        'RECORDING_START_FAILED',
        'Fingers on a device of another host cannot be recorded; what is done through the daemon can.',
      )
    }
    return {
      driver: this.driver(serial),
      shell: this.#presence.shell(serial),
      server: this.phone.server,
    }
  }

  /** Calls the listener after each command of an execution that may have changed a screen. */
  onCommand(listener: (serial: string) => void): void {
    this.#commandListeners.add(listener)
  }

  announceCommand(serial: string): void {
    for (const listener of this.#commandListeners) listener(serial)
  }

  /** Whether something runs or waits in the queue of a device. */
  isInUse(serial: string): boolean {
    return this.#deps.jobs.countInQueue(deviceQueueName(serial)) > 0
  }

  get serverUp(): boolean {
    return this.#presence.serverUp
  }

  /** Runs work on a device in its queue, between executions. It does not check leases. */
  runInQueue<T>(
    serial: string,
    { principal, timeoutMs, signal }: DeviceAccess,
    work: (driver: Driver, limits: CallLimits) => Promise<T>,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(timeoutMs)
    const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
    return this.#deps.jobs.runInQueue(deviceQueueName(serial), { principal, signal: either }, () =>
      work(this.driver(serial), { timeoutMs, signal: either }),
    )
  }

  /** Reads the facts of a device and stores them. Returns undefined if the device does not answer. */
  async refreshFacts(serial: string): Promise<DeviceFacts | undefined> {
    try {
      const read = await this.driver(serial).facts({ timeoutMs: FACTS_TIMEOUT_MS })
      const facts = toFacts(read)
      this.#write((ctx) => recordDeviceFacts(ctx, serial, { facts, simulated: read.isSimulated }))
      return facts
    } catch (error) {
      this.#deps.log.debug({ err: error, serial }, 'device facts could not be read')
      return undefined
    }
  }

  /** Reads which build of an app is installed. Returns undefined if the device does not answer. */
  async appBuild(serial: string, app: string): Promise<AppBuild | undefined> {
    try {
      return await this.driver(serial).appBuild(app, { timeoutMs: FACTS_TIMEOUT_MS })
    } catch (error) {
      this.#deps.log.debug({ err: error, serial, app }, 'the build of an app could not be read')
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#presence.stop()
    await this.#hosts?.close()
    await this.phone.close()
  }

  #createDriver(serial: string): Driver {
    if (this.#hosts !== undefined && parseFullSerial(serial) !== undefined) return new RemoteDriver(this.#hosts, serial)
    const { server } = this.phone
    return new AndroidDriver(this.#presence.shell(serial), { server, serial })
  }

  /** Redis and what uses it are loaded only here. */
  async #openHosts(address: RedisAddress, { lost_after_ms }: Config['settings']['hosts']): Promise<void> {
    const { store, log } = this.#deps
    // No host is connected yet.
    const remote = store.read(listDevices).filter(({ serial }) => parseFullSerial(serial) !== undefined)
    for (const { serial, state } of remote) if (state !== 'gone') this.#onSighting({ serial, state: 'gone' })
    const { DeviceHosts } = await import('../../device-hosts/daemon/device-hosts.ts')
    this.#hosts = new DeviceHosts({
      address,
      lostAfterMs: lost_after_ms,
      log,
      onState: (serial, state) => this.#onSighting({ serial, state }),
    })
    this.#hosts.start()
  }

  #onSighting({ serial, state }: { readonly serial: string; readonly state: string }): void {
    const simulated = this.phone.simulated !== undefined && parseFullSerial(serial) === undefined
    this.#write((ctx) => recordSighting(ctx, { serial, state, simulated }))
    if (state === 'device') void this.refreshFacts(serial)
  }

  #write(work: (ctx: CommandContext) => void): void {
    const { newId, log } = this.#deps
    const origin = { actor: DAEMON_ACTOR, correlation_id: `device:${newId()}` }
    writePatientlyAs(this.#deps, origin, work).catch((error: unknown) =>
      log.error({ err: error }, 'a change of a device could not be stored'),
    )
  }
}
