import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { RedisAddress } from '../../config/redis-address.ts'
import { createKeys, type HostKeys } from '../wire/keys.ts'
import type { AnnouncedDevice } from '../wire/messages.ts'
import { followStream, openRedis } from '../wire/redis.ts'
import { formatFullSerial, parseFullSerial } from '../wire/serials.ts'
import { type ConnectedHost, HostConnection } from './host-connection.ts'

export interface DeviceHostsDeps {
  readonly address: RedisAddress
  readonly lostAfterMs: number
  readonly log: Logger
  /** Called for each device of a host whose state has changed. `gone` when the host is lost. */
  readonly onState: (serial: string, state: string) => void
}

/** How many heartbeats fit into the time after which a host is lost. */
const BEATS_BEFORE_LOSS = 5

/** The connected hosts of a daemon. Redis carries messages between them; what they mean is stored by the daemon alone. */
export class DeviceHosts {
  /** Identifies this start. A gate of an earlier one is closed. */
  readonly epoch = randomUUID()
  readonly heartbeatMs: number
  readonly lostAfterMs: number
  readonly #deps: DeviceHostsDeps
  readonly #redis: Redis
  readonly #keys: HostKeys
  readonly #connections = new Map<string, HostConnection>()
  readonly #states = new Map<string, string>()
  readonly #stop = new AbortController()
  readonly #waiters = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined
  #checkedAt = performance.now()
  #readyAt = Infinity
  #isRenewed = false
  #reading: Promise<void> = Promise.resolve()

  constructor(deps: DeviceHostsDeps) {
    this.#deps = deps
    this.lostAfterMs = deps.lostAfterMs
    this.heartbeatMs = Math.floor(deps.lostAfterMs / BEATS_BEFORE_LOSS)
    this.#keys = createKeys(deps.address.prefix)
    this.#redis = openRedis(deps.address, (error) => deps.log.warn({ err: error }, 'Redis cannot be reached'))
  }

  /** Closes every gate of earlier daemons by taking over, and begins to listen. Redis may be away. */
  start(): void {
    const { heartbeatMs } = this
    this.#redis.del(this.#keys.up).catch(() => {})
    this.#tick()
    this.#timer = setInterval(() => this.#tick(), heartbeatMs)
    this.#reading = this.#listen()
  }

  get isReachable(): boolean {
    return this.#redis.status === 'ready'
  }

  get connections(): readonly HostConnection[] {
    return [...this.#connections.values()]
  }

  /** The connection that serves a device now, and the serial of the device there. */
  find(fullSerial: string): { readonly connection: HostConnection; readonly serial: string } | undefined {
    const parsed = parseFullSerial(fullSerial)
    const connection = this.connections.find(({ host }) => host.name === parsed?.host)
    if (parsed === undefined || connection === undefined) return undefined
    const announced = connection.devices.some(({ serial }) => serial === parsed.serial)
    return announced ? { connection, serial: parsed.serial } : undefined
  }

  /** As `find`, but waits until the device is back, at most as long as a silent host is waited for. */
  async wait(fullSerial: string, signal: AbortSignal): Promise<ReturnType<DeviceHosts['find']>> {
    const endsAt = performance.now() + this.lostAfterMs
    for (;;) {
      const found = this.find(fullSerial)
      const remainingMs = endsAt - performance.now()
      if (found !== undefined || remainingMs <= 0 || signal.aborted) return found
      await this.#untilChanged(remainingMs, signal)
    }
  }

  /** Connects a host. Its earlier connection ends. */
  async connect(host: ConnectedHost): Promise<HostConnection> {
    // What it removes from Redis is sent before what is written below.
    this.disconnect(host.host_id, 'The host has connected again.')
    const connection: HostConnection = new HostConnection({
      redis: this.#redis,
      keys: this.#keys,
      host,
      lostAfterMs: this.lostAfterMs,
      onDevices: (devices) => this.#applyDevices(connection, devices),
      onBroken: (error) => this.#lose(connection, `Messages of the host were lost: ${String(error)}`),
    })
    this.#connections.set(host.host_id, connection)
    await this.#redis.set(this.#keys.current(host.host_id), connection.connection_id)
    this.#deps.log.info({ host: host.name, connection_id: connection.connection_id }, 'a device host has connected')
    return connection
  }

  disconnect(hostId: string, reason: string): void {
    const connection = this.#connections.get(hostId)
    if (connection !== undefined) this.#lose(connection, reason)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    clearInterval(this.#timer)
    const ends = this.connections.map((connection) => connection.end('The daemon has stopped.').catch(() => {}))
    const closed = Promise.all(ends).then(() => this.#redis.del(this.#keys.epoch))
    const late = new Promise((resolve) => {
      setTimeout(resolve, CLOSE_MS).unref()
    })
    await Promise.race([closed.catch(() => {}), late])
    await this.#reading
    this.#redis.disconnect()
  }

  async #listen(): Promise<void> {
    const { signal } = this.#stop
    try {
      await followStream(this.#redis, { key: this.#keys.up, signal, trim: true }, (fields) => {
        const connection = this.#connections.get(fields['host'] ?? '')
        if (connection !== undefined && connection.connection_id === fields['connection']) connection.receive(fields)
      })
    } catch (error) {
      this.#deps.log.error({ err: error }, 'messages of device hosts cannot be read')
    }
  }

  /** Stays alive for the hosts, and finds those that are silent. */
  #tick(): void {
    const { lostAfterMs, heartbeatMs } = this
    void this.#renew()
    const now = performance.now()
    // While Redis is away, or this process was held up, nobody can be heard.
    const heldUp = now - this.#checkedAt > 2 * heartbeatMs
    this.#checkedAt = now
    if (!this.isReachable) this.#readyAt = Infinity
    else if (heldUp || this.#readyAt === Infinity) this.#readyAt = now
    for (const connection of this.connections) {
      const heardAt = Math.max(connection.lastHeardMs, this.#readyAt)
      if (now - heardAt > lostAfterMs) this.#lose(connection, 'The device host was lost.')
    }
  }

  /** Without this key, which expires, no gate is open. */
  async #renew(): Promise<void> {
    const before = await this.#redis.set(this.#keys.epoch, this.epoch, 'PX', this.lostAfterMs, 'GET').catch(() => null)
    if (before === this.epoch) this.#isRenewed = true
    else if (before !== null && this.#isRenewed) this.#deps.log.error('another daemon uses the same prefix in Redis')
  }

  #lose(connection: HostConnection, reason: string): void {
    if (connection.isOver) return
    if (this.#connections.get(connection.host.host_id) === connection) this.#connections.delete(connection.host.host_id)
    this.#deps.log.warn({ host: connection.host.name, reason }, 'a device host was disconnected')
    connection
      .end(reason)
      .catch((error: unknown) => this.#deps.log.debug({ err: error }, 'keys of a host were not removed'))
    this.#applyStates(connection, [])
  }

  #applyDevices(connection: HostConnection, devices: readonly AnnouncedDevice[]): void {
    this.#applyStates(connection, devices)
    for (const wake of this.#waiters) wake()
  }

  #applyStates({ host }: HostConnection, devices: readonly AnnouncedDevice[]): void {
    const states = new Map(devices.map(({ serial, state }) => [formatFullSerial(host.name, serial), state]))
    for (const full of this.#states.keys()) {
      if (parseFullSerial(full)?.host === host.name && !states.has(full)) states.set(full, 'gone')
    }
    for (const [full, state] of states) {
      if (this.#states.get(full) === state) continue
      this.#states.set(full, state)
      this.#deps.onState(full, state)
    }
  }

  #untilChanged(withinMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiters.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, withinMs)
      this.#waiters.add(done)
      signal.addEventListener('abort', done)
    })
  }
}

/** A stop does not wait longer for Redis. */
const CLOSE_MS = 2000
