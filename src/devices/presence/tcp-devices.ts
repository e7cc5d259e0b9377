import { type Backoff, backoffMs } from '../../timing/backoff.ts'
import type { DeviceStateChange } from './device-state.ts'

/**
 * Reconnects TCP devices. An adb server retries a lost device every ten seconds and drops it after a minute,
 * and a restarted server has none.
 */
export class TcpDevices {
  readonly #pinned: ReadonlySet<string>
  readonly #backoff: Backoff
  readonly #reconnect: (serial: string) => Promise<void>
  readonly #devices = new Map<string, TcpDevice>()
  #serverUp = false
  #stopped = false

  /** `pinned` devices are always reconnected, others until someone disconnects them on purpose. */
  constructor(pinned: readonly string[], backoff: Backoff, reconnect: (serial: string) => Promise<void>) {
    this.#pinned = new Set(pinned)
    this.#backoff = backoff
    this.#reconnect = reconnect
    for (const serial of pinned) this.#devices.set(serial, { failures: 0, present: false })
  }

  setServerState(state: 'up' | 'down'): void {
    this.#serverUp = state === 'up'
    if (this.#serverUp) for (const [serial, device] of this.#devices) this.#schedule(serial, device)
  }

  update({ serial, state, previous, cause }: DeviceStateChange): void {
    if (!TCP_SERIAL.test(serial)) return
    const device = this.#devices.get(serial) ?? { failures: 0, present: false }
    device.present = state !== 'offline' && state !== 'gone'
    if (device.present) {
      clearTimeout(device.timer)
      device.failures = 0
      this.#devices.set(serial, device)
      return
    }
    // Removed from the list of a running server while it was connected: that was on purpose.
    const isDisconnected = state === 'gone' && previous !== 'offline' && cause !== 'server_down'
    if (isDisconnected && !this.#pinned.has(serial)) this.#devices.delete(serial)
    else if (this.#devices.has(serial)) this.#schedule(serial, device)
  }

  /** The device is listed as connected, but left its network silently. */
  markStuck(serial: string): void {
    const device = this.#devices.get(serial)
    if (!device) return
    device.present = false
    this.#schedule(serial, device)
  }

  stop(): void {
    this.#stopped = true
    for (const { timer } of this.#devices.values()) clearTimeout(timer)
  }

  #schedule(serial: string, device: TcpDevice): void {
    if (this.#stopped || !this.#serverUp || device.present || device.busy) return
    clearTimeout(device.timer)
    const pauseMs = backoffMs(this.#backoff, device.failures)
    device.timer = setTimeout(() => void this.#attempt(serial, device), pauseMs)
  }

  async #attempt(serial: string, device: TcpDevice): Promise<void> {
    device.busy = true
    try {
      await this.#reconnect(serial)
    } catch {
      // Not reachable yet. The list reports its state, and the next attempt is scheduled below.
    }
    device.failures += 1
    device.busy = false
    if (this.#devices.get(serial) === device) this.#schedule(serial, device)
  }
}

interface TcpDevice {
  failures: number
  present: boolean
  busy?: boolean
  timer?: NodeJS.Timeout
}

/** `host:port`, the serial of TCP devices. mDNS names and emulators are left to the server. */
const TCP_SERIAL = /^(\[[0-9a-f:.%]+\]|[^:\s]+):\d{1,5}$/i
