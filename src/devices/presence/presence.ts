import { setMaxListeners } from 'node:events'
import { AdbClient } from '../adb/adb-client.ts'
import type { ListedDevice } from '../adb/adb-client.ts'
import type { ServerAddress } from '../adb/adb-socket.ts'
import { AdbTracker } from '../adb/adb-tracker.ts'
import type { Backoff } from '../../timing/backoff.ts'
import { pause } from '../adb/call-limits.ts'
import { DeviceShell } from '../shell/device-shell.ts'
import type { DeviceState, Sighting } from './sighting.ts'
import { TcpDevices } from './tcp-devices.ts'

export interface PresenceOptions {
  readonly server: ServerAddress
  readonly onSighting: (sighting: Sighting) => void
  readonly onServer?: (state: 'up' | 'down') => void
  /** Devices to keep connected over TCP, as `host:port`. */
  readonly tcpDevices?: readonly string[]
  readonly timing?: Partial<PresenceTiming>
}

export interface PresenceTiming {
  /** The list is read this often although the tracker pushes: the tracker can be a minute late. */
  readonly listIntervalMs: number
  readonly listTimeoutMs: number
  /** A device that left its network silently is noticed only by asking it. */
  readonly probeIntervalMs: number
  readonly probeTimeoutMs: number
  readonly serverBackoff: Backoff
  readonly connectBackoff: Backoff
}

const TIMING: PresenceTiming = {
  listIntervalMs: 1000,
  listTimeoutMs: 2000,
  probeIntervalMs: 5000,
  probeTimeoutMs: 4000,
  serverBackoff: { firstMs: 100, maxMs: 5000 },
  connectBackoff: { firstMs: 100, maxMs: 10_000 },
}

/** Which devices are there, in which state, and the shell to each. */
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
    this.#timing = { ...TIMING, ...options.timing }
    this.client = new AdbClient(options.server)
    // One listener per call under way, however many devices there are.
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

  /** Reports what is present, then watches. A server that is down is waited for, not an error. */
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

  /** The shell of a device, kept over its absences. */
  shell(serial: string): DeviceShell {
    const known = this.#shells.get(serial)
    if (known) return known
    const shell = new DeviceShell(this.client, serial, () => void this.#check(serial))
    this.#shells.set(serial, shell)
    return shell
  }

  #list(cause: Sighting['cause']): Promise<void> {
    this.#listing ??= this.client
      .listDevices(this.#limits(this.#timing.listTimeoutMs))
      .then((list) => this.#apply(list, cause))
      .catch(() => this.#setServer('down'))
      .finally(() => {
        this.#listing = undefined
      })
    return this.#listing
  }

  #apply(list: readonly ListedDevice[], cause: Sighting['cause']): void {
    if (this.#stopping.signal.aborted) return
    this.#setServer('up')
    for (const { serial, state } of list) {
      // The list does not know that a device has stopped answering; only an answer ends that.
      const silent = state === 'device' && this.#states.get(serial) === 'unresponsive'
      if (!silent) this.#see(serial, knownState(state), cause)
    }
    const listed = new Set(list.map(({ serial }) => serial))
    for (const serial of this.#states.keys()) {
      if (!listed.has(serial)) this.#see(serial, 'gone', cause)
    }
  }

  #setServer(state: 'up' | 'down'): void {
    const up = state === 'up'
    if (this.#serverUp === up || this.#stopping.signal.aborted) return
    this.#serverUp = up
    this.#options.onServer?.(state)
    this.#tcp.server(state)
    if (up) return
    for (const serial of this.#states.keys()) this.#see(serial, 'gone', 'server_down')
  }

  #see(serial: string, state: DeviceState, cause: Sighting['cause']): void {
    const previous = this.#states.get(serial)
    if (previous === state) return
    this.#states.set(serial, state)
    const shell = this.shell(serial)
    // Nothing known of a connection outlives it; a device that is here again has a new one.
    if (state !== 'device' && state !== 'unresponsive') shell.reset()
    if (state === 'device') void shell.openHot(this.#limits(this.#timing.probeTimeoutMs))
    this.#tcp.seen({ serial, state, previous, cause })
    this.#options.onSighting({ serial, state, previous, cause })
  }

  /** Its stream has ended: either the list knows by now, or the device still takes a new stream. */
  async #check(serial: string): Promise<void> {
    if (this.#checking.has(serial)) return
    this.#checking.add(serial)
    const quickly = performance.now() - (this.#checkedAt.get(serial) ?? -Infinity) < QUICK_LOSS_MS
    try {
      for (let round = 0; round < CHECK_ROUNDS; round += 1) {
        await this.#list('listed')
        if (this.#states.get(serial) !== 'device') return
        // A device that loses every stream at once must not be hammered with new ones.
        if (quickly) await pause(QUICK_LOSS_MS / 2, this.#stopping.signal)
        const limits = this.#limits(this.#timing.probeTimeoutMs)
        if (await this.shell(serial).openHot(limits)) return
        await pause(CHECK_PAUSE_MS, this.#stopping.signal)
      }
      await this.#probe(serial)
    } catch {
      // Only the pause can fail, and only because watching was stopped.
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
    const answers = await this.shell(serial).answers(this.#limits(this.#timing.probeTimeoutMs))
    if (this.#stopping.signal.aborted || this.#states.get(serial) !== before) return
    if (!answers && before === 'unresponsive') this.#tcp.stuck(serial)
    this.#see(serial, answers ? 'device' : 'unresponsive', 'probe')
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

/** A server waits up to ten seconds for a mute device before it answers `connect`. */
const CONNECT_TIMEOUT_MS = 12_000
const CHECK_ROUNDS = 4
const CHECK_PAUSE_MS = 50
const QUICK_LOSS_MS = 1000

const STATES: ReadonlySet<string> = new Set<DeviceState>([
  'device',
  'offline',
  'unauthorized',
  'connecting',
  'authorizing',
  'recovery',
  'sideload',
  'bootloader',
])

/** Other words of the server, e.g. `no permissions (...)` or `host`, count as unknown. */
function knownState(word: string): DeviceState {
  return STATES.has(word) ? (word as DeviceState) : 'unknown'
}
