import { AndroidDriver } from '../../devices/driver/android-driver.ts'
import type { Driver } from '../../devices/driver/driver.ts'
import { Presence } from '../../devices/presence/presence.ts'
import type { PresenceOptions } from '../../devices/presence/presence.ts'
import type { DeviceState } from '../../devices/presence/sighting.ts'
import type { TouchDevice } from '../../devices/touch/touch-setup.ts'

/** All devices of one adb server: which are there, and a driver for each. */
export class DevicePlane {
  readonly #presence: Presence
  readonly #drivers = new Map<string, Driver>()

  constructor(options: PresenceOptions) {
    this.#presence = new Presence(options)
  }

  /** Reports what is present through `onSighting`, then watches until `stop`. */
  start(): Promise<void> {
    return this.#presence.start()
  }

  stop(): void {
    this.#presence.stop()
  }

  get serverUp(): boolean {
    return this.#presence.serverUp
  }

  devices(): readonly { readonly serial: string; readonly state: DeviceState }[] {
    return this.#presence.devices()
  }

  /** The driver of a device, present or not: an absent one answers with a transport failure. */
  driver(serial: string): Driver {
    const known = this.#drivers.get(serial)
    if (known) return known
    const { server } = this.#presence.client
    const driver = new AndroidDriver(this.#presence.shell(serial), { server, serial })
    this.#drivers.set(serial, driver)
    return driver
  }

  /** What it takes to follow the fingers on a device. */
  touchDevice(serial: string): TouchDevice {
    const { client } = this.#presence
    return {
      driver: this.driver(serial),
      shell: this.#presence.shell(serial),
      server: client.server,
    }
  }
}
