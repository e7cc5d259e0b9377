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
import { restoreNotedKeyboard } from '../../devices/driver/input-method.ts'
import { PINNED_HELPERS, type PinnedHelper } from '../../devices/driver/pinned-helpers.ts'
import type { AppBuild } from '../../devices/driver/fact-parsers.ts'
import { type DeviceLog, type LogRequest, readDeviceLog } from '../../devices/driver/device-log.ts'
import type { EngineHost } from '../../devices/engine/engine-host.ts'
import { runExecution } from '../../devices/engine/execution/run-execution.ts'
import { Presence } from '../../devices/presence/presence.ts'
import { RecordingFailure } from '../../devices/recording/recording-failure.ts'
import type { DeviceAddress } from '../../devices/shell/command-stream.ts'
import { type CommandRunner, DeviceShell } from '../../devices/shell/device-shell.ts'
import { FastSource } from '../../devices/snapshot-helper/fast-source.ts'
import type { TouchDevice } from '../../devices/touch/touch-setup.ts'
import { toFacts } from '../../devices/driver/facts-view.ts'
import { type CommandContext, DAEMON_ACTOR, writePatientlyAs } from '../../domain/command/context.ts'
import { deviceQueueName } from '../../domain/devices/executions.ts'
import { recordDeviceFacts, recordSighting } from '../../domain/devices/device-record.ts'
import type { JobRunner, RunnerDeps } from '../../jobs/runner.ts'
import { listDevices } from '../../store/devices/devices.ts'
import type { PhoneInUse } from './phone-in-use.ts'

const FACTS_TIMEOUT_MS = 5000
const RESTORE_TIMEOUT_MS = 60_000

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

/** A device of the daemon's own adb server. */
export interface LocalDevice {
  readonly runner: CommandRunner
  readonly device: DeviceAddress
  readonly source: FastSource
}

/** The devices of the daemon's adb server, and those of connected hosts: which exist, a driver and a queue for each, and what is known about them. */
export class DeviceManager {
  readonly phone: PhoneInUse
  /** The helpers that devices may be prepared with. Tests replace them by their own. */
  pinnedHelpers: readonly PinnedHelper[] = PINNED_HELPERS
  readonly #deps: DeviceManagerDeps
  readonly #presence: Presence
  /** The hosts of other machines. Absent without Redis. */
  #hosts: DeviceHosts | undefined
  readonly #drivers = new Map<string, Driver>()
  readonly #localDevices = new Map<string, LocalDevice>()
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

  /** Undefined for a device of another host. */
  localDevice(serial: string): LocalDevice | undefined {
    if (this.#hosts !== undefined && parseFullSerial(serial) !== undefined) return undefined
    return this.#openLocal(serial)
  }

  #openLocal(serial: string): LocalDevice {
    const known = this.#localDevices.get(serial)
    if (known !== undefined) return known
    const runner = this.#presence.shell(serial)
    const device = { server: this.phone.server, serial }
    const local = { runner, device, source: new FastSource(runner, device) }
    this.#localDevices.set(serial, local)
    return local
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
      if (read.hasKeyboardNote) void this.#restoreKeyboard(serial)
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
    await Promise.all([...this.#localDevices.values()].map(({ source }) => source.reset()))
    await this.#hosts?.close()
    await this.phone.close()
  }

  #createDriver(serial: string): Driver {
    if (this.#hosts !== undefined && parseFullSerial(serial) !== undefined) return new RemoteDriver(this.#hosts, serial)
    const local = this.#openLocal(serial)
    return new AndroidDriver(local.runner, local.device, local.source)
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

  /** In the queue, because the note is also there while a text is typed. */
  async #restoreKeyboard(serial: string): Promise<void> {
    const runner = this.localDevice(serial)?.runner
    if (runner === undefined) return
    try {
      const access = { principal: DAEMON_ACTOR.user_id, timeoutMs: RESTORE_TIMEOUT_MS }
      const restored = await this.runInQueue(serial, access, (_driver, limits) => restoreNotedKeyboard(runner, limits))
      if (restored) this.#deps.log.info({ serial }, 'restored the keyboard that was selected before a text was typed')
    } catch (error) {
      this.#deps.log.warn({ err: error, serial }, 'the keyboard of a device could not be restored')
    }
  }

  #onSighting({ serial, state }: { readonly serial: string; readonly state: string }): void {
    const simulated = this.phone.simulated !== undefined && parseFullSerial(serial) === undefined
    this.#write((ctx) => recordSighting(ctx, { serial, state, simulated }))
    if (state !== 'device') return
    void this.#localDevices.get(serial)?.source.reset()
    void this.refreshFacts(serial)
  }

  #write(work: (ctx: CommandContext) => void): void {
    const { newId, log } = this.#deps
    const origin = { actor: DAEMON_ACTOR, correlation_id: `device:${newId()}` }
    writePatientlyAs(this.#deps, origin, work).catch((error: unknown) =>
      log.error({ err: error }, 'a change of a device could not be stored'),
    )
  }
}
