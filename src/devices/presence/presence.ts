import { setMaxListeners } from 'node:events'
import { AdbClient } from '../adb/adb-client.ts'
import type { ListedDevice } from '../adb/adb-client.ts'
import type { ServerAddress } from '../adb/adb-socket.ts'
import { AdbTracker } from '../adb/adb-tracker.ts'
import type { Backoff } from '../../timing/backoff.ts'
import { pause } from '../adb/call-limits.ts'
import { DeviceShell } from '../shell/device-shell.ts'
import type { DeviceState, DeviceStateChange } from './device-state.ts'
import { TcpDevices } from './tcp-devices.ts'

export interface PresenceOptions {
  readonly server: ServerAddress
  readonly onStateChange: (change: DeviceStateChange) => void
  readonly onServer?: (state: 'up' | 'down') => void
  /** Devices to keep connected over TCP, as `host:port`. */
  readonly tcpDevices?: readonly string[]
  readonly timing?: Partial<PresenceTiming>
}

export interface PresenceTiming {
  /** Interval for reading the list, in addition to the tracker, which can be a minute late. */
  readonly listIntervalMs: number
  readonly listTimeoutMs: number
  /** Interval for probing devices: one that left its network silently stays listed. */
  readonly probeIntervalMs: number
  readonly probeTimeoutMs: number
  readonly serverBackoff: Backoff
  readonly connectBackoff: Backoff
}

const DEFAULT_TIMING: PresenceTiming = {
  listIntervalMs: 1000,
  listTimeoutMs: 2000,
  probeIntervalMs: 5000,
  probeTimeoutMs: 4000,
  serverBackoff: { firstMs: 100, maxMs: 5000 },
  connectBackoff: { firstMs: 100, maxMs: 10_000 },
}

/** Tracks the connected devices and their states, and owns a shell for each. */
export class Presence {
  readonly client: AdbClient
  readonly #options: PresenceOptions
  readonly #timing: PresenceTiming
  readonly #tracker: AdbTracker
  readonly #tcp: TcpDevices
  readonly #states = new Map<string, DeviceState>()
  readonly #shells = new Map<string, DeviceShell>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #checking = new Set<string>()
  readonly #checkedAt = new Map<string, number>()
  readonly #stopping = new AbortController()
  #serverUp: boolean | undefined
  #listing: Promise<void> | undefined

  constructor(options: PresenceOptions) {
    this.#options = options
    this.#timing = { ...DEFAULT_TIMING, ...options.timing }
    this.client = new AdbClient(options.server)
    // Every running call adds a listener.
    setMaxListeners(0, this.#stopping.signal)
    const { serverBackoff, connectBackoff } = this.#timing
    this.#tracker = new AdbTracker(
      options.server,
      { listed: (list) => this.#apply(list, 'listed'), serverDown: () => this.#setServer('down') },
      serverBackoff,
    )
    this.#tcp = new TcpDevices(options.tcpDevices ?? [], connectBackoff, (serial) =>
      this.client.reconnectTcp(serial, this.#limits(CONNECT_TIMEOUT_MS)),
    )
  }

  /** Reports the present devices, then watches for changes. A server that is down is not an error. */
  async start(): Promise<void> {
    await this.#list('present')
    if (this.#stopping.signal.aborted) return
    this.#tracker.start()
    this.#every(this.#timing.listIntervalMs, () => this.#list('listed'))
    this.#every(this.#timing.probeIntervalMs, () => this.#probeAll())
  }

  stop(): void {
    this.#stopping.abort()
    this.#tracker.stop()
    this.#tcp.stop()
    for (const timer of this.#timers) clearInterval(timer)
    for (const shell of this.#shells.values()) shell.close()
  }

  get serverUp(): boolean {
    return this.#serverUp === true
  }

  devices(): readonly { readonly serial: string; readonly state: DeviceState }[] {
    return [...this.#states].map(([serial, state]) => ({ serial, state }))
  }

  /** The shell of a device. It is kept while the device is gone. */
  shell(serial: string): DeviceShell {
    const known = this.#shells.get(serial)
    if (known) return known
    const shell = new DeviceShell(this.client, serial, () => void this.#check(serial))
    this.#shells.set(serial, shell)
    return shell
  }

  #list(cause: DeviceStateChange['cause']): Promise<void> {
    this.#listing ??= this.client
      .listDevices(this.#limits(this.#timing.listTimeoutMs))
      .then((list) => this.#apply(list, cause))
      .catch(() => this.#setServer('down'))
      .finally(() => {
        this.#listing = undefined
      })
    return this.#listing
  }

  #apply(list: readonly ListedDevice[], cause: DeviceStateChange['cause']): void {
    if (this.#stopping.signal.aborted) return
    this.#setServer('up')
    for (const { serial, state } of list) {
      // The list does not show that a device has stopped responding. Only a response changes that state.
      const isUnresponsive = state === 'device' && this.#states.get(serial) === 'unresponsive'
      if (!isUnresponsive) this.#setState(serial, parseDeviceState(state), cause)
    }
    const listed = new Set(list.map(({ serial }) => serial))
    for (const serial of this.#states.keys()) {
      if (!listed.has(serial)) this.#setState(serial, 'gone', cause)
    }
  }

  #setServer(state: 'up' | 'down'): void {
    const up = state === 'up'
    if (this.#serverUp === up || this.#stopping.signal.aborted) return
    this.#serverUp = up
    this.#options.onServer?.(state)
    this.#tcp.setServerState(state)
    if (up) return
    for (const serial of this.#states.keys()) this.#setState(serial, 'gone', 'server_down')
  }

  #setState(serial: string, state: DeviceState, cause: DeviceStateChange['cause']): void {
    const previous = this.#states.get(serial)
    if (previous === state) return
    this.#states.set(serial, state)
    const shell = this.shell(serial)
    // The state of a connection is discarded with it; a device that returns has a new one.
    if (state !== 'device' && state !== 'unresponsive') shell.reset()
    if (state === 'device') void shell.openPersistent(this.#limits(this.#timing.probeTimeoutMs))
    this.#tcp.update({ serial, state, previous, cause })
    this.#options.onStateChange({ serial, state, previous, cause })
  }

  /** The shell stream has ended. Checks whether the device is gone or accepts a new stream. */
  async #check(serial: string): Promise<void> {
    if (this.#checking.has(serial)) return
    this.#checking.add(serial)
    const isRepeated = performance.now() - (this.#checkedAt.get(serial) ?? -Infinity) < QUICK_LOSS_MS
    try {
      for (let round = 0; round < CHECK_ROUNDS; round += 1) {
        await this.#list('listed')
        if (this.#states.get(serial) !== 'device') return
        // A device that ends every stream at once must not be flooded with new ones.
        if (isRepeated) await pause(QUICK_LOSS_MS / 2, this.#stopping.signal)
        const limits = this.#limits(this.#timing.probeTimeoutMs)
        if (await this.shell(serial).openPersistent(limits)) return
        await pause(CHECK_PAUSE_MS, this.#stopping.signal)
      }
      await this.#probe(serial)
    } catch {
      // Only the pause can fail, when `stop` was called.
    } finally {
      this.#checking.delete(serial)
      this.#checkedAt.set(serial, performance.now())
    }
  }

  async #probeAll(): Promise<void> {
    await Promise.all([...this.#states.keys()].map((serial) => this.#probe(serial)))
  }

  async #probe(serial: string): Promise<void> {
    const before = this.#states.get(serial)
    if (before !== 'device' && before !== 'unresponsive') return
    const answers = await this.shell(serial).isResponsive(this.#limits(this.#timing.probeTimeoutMs))
    if (this.#stopping.signal.aborted || this.#states.get(serial) !== before) return
    if (!answers && before === 'unresponsive') this.#tcp.markStuck(serial)
    this.#setState(serial, answers ? 'device' : 'unresponsive', 'probe')
  }

  #every(intervalMs: number, work: () => Promise<void>): void {
    let busy = false
    const turn = async () => {
      if (busy) return
      busy = true
      await work().finally(() => {
        busy = false
      })
    }
    this.#timers.push(setInterval(() => void turn(), intervalMs))
  }

  #limits(timeoutMs: number) {
    return { timeoutMs, signal: this.#stopping.signal }
  }
}

/** A server waits up to ten seconds for a silent device before it answers `connect`. */
const CONNECT_TIMEOUT_MS = 12_000
const CHECK_ROUNDS = 4
const CHECK_PAUSE_MS = 50
const QUICK_LOSS_MS = 1000

const LISTED_STATES: ReadonlySet<string> = new Set<DeviceState>([
  'device',
  'offline',
  'unauthorized',
  'connecting',
  'authorizing',
  'recovery',
  'sideload',
  'bootloader',
])

/** Other states of the server, e.g. `no permissions (...)` or `host`, are `unknown`. */
function parseDeviceState(state: string): DeviceState {
  return LISTED_STATES.has(state) ? (state as DeviceState) : 'unknown'
}
