import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { z } from 'zod'
import { ApiFailure, type Client } from '@apprentice/contracts/client.ts'
import { connectHost, CONTENT_PART_CHARACTERS, putHostContent } from '@apprentice/contracts/devices/hosts.ts'
import type { RedisAddress } from '../../config/redis-address.ts'
import type { ServerAddress } from '../../devices/adb/adb-socket.ts'
import { Presence } from '../../devices/presence/presence.ts'
import { FastSource } from '../../devices/snapshot-helper/fast-source.ts'
import { createKeys } from '../wire/keys.ts'
import { openRedis } from '../wire/redis.ts'
import type { HostedDevice } from './handed-execution.ts'
import { HostSession } from './host-session.ts'

export interface DeviceHostDeps {
  readonly daemon: Client
  /** The token of the host. */
  readonly token: string
  readonly redis: RedisAddress
  readonly server: ServerAddress
  readonly version: string
  readonly log: Logger
}

type Connection = z.infer<typeof connectHost.reply>

/** Refusals that time does not change: the token is wrong or revoked, or the daemon serves no hosts. */
const FINAL_CODES: ReadonlySet<string> = new Set(['UNAUTHENTICATED', 'FORBIDDEN', 'HOSTS_DISABLED', 'INVALID_REQUEST'])
const RETRY_MS = 500
const MAX_SEND_ATTEMPTS = 20

/** Serves the devices of an adb server to a daemon, and connects again after every loss, until the signal aborts. */
export class DeviceHost {
  readonly #deps: DeviceHostDeps
  readonly #devices = new Map<string, HostedDevice>()
  readonly #presence: Presence
  #session: HostSession | undefined

  constructor(deps: DeviceHostDeps) {
    this.#deps = deps
    this.#presence = new Presence({ server: deps.server, onStateChange: () => this.#session?.announce() })
  }

  async serve(signal: AbortSignal): Promise<void> {
    await this.#presence.start()
    try {
      while (!signal.aborted) {
        const connection = await this.#connect(signal)
        if (connection !== undefined) await this.#serveConnection(connection, signal)
      }
    } finally {
      this.#presence.stop()
    }
  }

  /** Undefined when the daemon did not answer. Throws what only a person can mend. */
  async #connect(signal: AbortSignal): Promise<Connection | undefined> {
    const { daemon, version, log } = this.#deps
    try {
      return await daemon(connectHost, { body: { version } })
    } catch (error) {
      if (error instanceof ApiFailure && FINAL_CODES.has(error.code)) throw error
      log.warn({ reason: String(error) }, 'the daemon cannot be reached')
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
      return undefined
    }
  }

  async #serveConnection(connection: Connection, signal: AbortSignal): Promise<void> {
    const { redis: address, token, log } = this.#deps
    const redis = openRedis(address, (error) => log.debug({ err: error }, 'Redis'))
    const { connection_id, host_id, name, epoch, heartbeat_ms, lost_after_ms } = connection
    const session = new HostSession({
      redis,
      keys: createKeys(address.prefix),
      tokenSha256: hash('sha256', token, 'hex'),
      hostId: host_id,
      connectionId: connection_id,
      epoch,
      heartbeatMs: heartbeat_ms,
      lostAfterMs: lost_after_ms,
      log,
      sendContent: (sha256, bytes) => this.#sendContent(connection_id, sha256, bytes),
      device: (serial) => this.#device(serial),
      listDevices: () => this.#presence.devices(),
    })
    this.#session = session
    log.info({ host: name, connection_id }, 'connected')
    const reason = await session.serve(signal)
    this.#session = undefined
    log.info({ host: name, connection_id, reason }, 'disconnected')
    redis.disconnect()
  }

  async #sendContent(connection_id: string, sha256: string, bytes: Buffer): Promise<void> {
    const whole = bytes.toString('base64')
    const parts = Math.max(1, Math.ceil(whole.length / CONTENT_PART_CHARACTERS))
    for (let part = 1; part <= parts; part += 1) {
      const content = whole.slice((part - 1) * CONTENT_PART_CHARACTERS, part * CONTENT_PART_CHARACTERS)
      await this.#sendPart({ connection_id, sha256, part, parts, content })
    }
  }

  /** A daemon that is asked too often is asked again later. */
  async #sendPart(body: z.input<typeof putHostContent.body>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return void (await this.#deps.daemon(putHostContent, { body }))
      } catch (error) {
        const isEarly = error instanceof ApiFailure && error.code === 'RATE_LIMITED'
        if (!isEarly || attempt === MAX_SEND_ATTEMPTS) throw error
        await sleep(RETRY_MS)
      }
    }
  }

  #device(serial: string): HostedDevice {
    const known = this.#devices.get(serial)
    if (known !== undefined) return known
    const shell = this.#presence.shell(serial)
    const { server } = this.#deps
    const device = { server, shell, screens: new FastSource(shell, { server, serial }) }
    this.#devices.set(serial, device)
    return device
  }
}
