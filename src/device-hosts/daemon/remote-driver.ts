import type { CallLimits } from '../../devices/adb/call-limits.ts'
import { TransportFailure } from '../../devices/adb/transport-failure.ts'
import type { DeviceLog, LogRequest } from '../../devices/driver/device-log.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import type { ReadingMethod } from '../wire/messages.ts'
import type { DeviceHosts } from './device-hosts.ts'

/** Reads from a device of a host. What acts on the device belongs into an execution, which the host runs under its gate. */
export class RemoteDriver implements Driver {
  readonly serial: string
  readonly #hosts: DeviceHosts

  constructor(hosts: DeviceHosts, serial: string) {
    this.#hosts = hosts
    this.serial = serial
  }

  dump = (limits: CallLimits) => this.#read<Awaited<ReturnType<Driver['dump']>>>('dump', limits)
  screenshot = (limits: CallLimits) => this.#read<Awaited<ReturnType<Driver['screenshot']>>>('screenshot', limits)
  facts = (limits: CallLimits) => this.#read<Awaited<ReturnType<Driver['facts']>>>('facts', limits)
  foreground = (limits: CallLimits) => this.#read<Awaited<ReturnType<Driver['foreground']>>>('foreground', limits)
  packages = (limits: CallLimits) => this.#read<Awaited<ReturnType<Driver['packages']>>>('packages', limits)
  launchables = (limits: CallLimits) => this.#read<Awaited<ReturnType<Driver['launchables']>>>('launchables', limits)
  appBuild = (packageId: string, limits: CallLimits) =>
    this.#read<Awaited<ReturnType<Driver['appBuild']>>>('appBuild', limits, packageId)
  log = (window: Omit<LogRequest, 'hostNow'>, limits: CallLimits) => this.#read<DeviceLog>('log', limits, window)

  tap = () => this.#refuse('tap')
  longPress = () => this.#refuse('longPress')
  swipe = () => this.#refuse('swipe')
  keyevent = () => this.#refuse('keyevent')
  setOrientation = () => this.#refuse('setOrientation')
  enterText = () => this.#refuse('enterText')
  clearText = () => this.#refuse('clearText')
  openApp = () => this.#refuse('openApp')
  openUri = () => this.#refuse('openUri')
  closeApp = () => this.#refuse('closeApp')
  wake = () => this.#refuse('wake')
  pull = () => this.#refuse('pull')
  push = () => this.#refuse('push')

  async #read<T>(method: ReadingMethod, limits: CallLimits, ...args: readonly unknown[]): Promise<T> {
    const found = this.#hosts.find(this.serial)
    if (found === undefined) throw this.#toAbsent()
    // The host answers with what the same method of its own driver returned.
    return (await found.connection.read(found.serial, { method, args }, limits)) as T
  }

  /** While the host of the device is away, an execution fails as on a device that is not connected. */
  async #refuse(operation: string): Promise<never> {
    if (this.#hosts.find(this.serial) === undefined) throw this.#toAbsent()
    throw new Error(`${operation} of ${this.serial} is possible in an execution only.`)
  }

  #toAbsent(): TransportFailure {
    return new TransportFailure('device_not_found', 'the device is on a host that is not connected', {
      serial: this.serial,
    })
  }
}
