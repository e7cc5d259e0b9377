import { pino } from 'pino'
import { onTestFinished, vi } from 'vitest'
import { type Call, createClient } from '@apprentice/contracts/client.ts'
import { createHost } from '@apprentice/contracts/devices/hosts.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'
import type { PhoneHost } from '@apprentice/phone/host/host.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import type { RedisAddress } from '../../src/config/redis-address.ts'
import { DeviceHost } from '../../src/device-hosts/host/device-host.ts'
import { formatFullSerial } from '../../src/device-hosts/wire/serials.ts'
import type { PhoneInUse } from '../../src/device-runtime/devices/phone-in-use.ts'
import type { ServerAddress } from '../../src/devices/adb/adb-socket.ts'
import { startRedisServer } from '../device-hosts/redis-server.ts'
import type { WhenOver } from './phone-of-the-run.ts'

export const HOST_NAME = 'lab'
const SERIAL_AT_HOST = 'SIMULATED01'

/** A daemon as a program on this machine reaches it, for an administrator. */
export interface ListeningDaemon {
  readonly url: string
  readonly call: Call
}

export interface StartedHost {
  readonly stop: () => void
  /** Rejects with what ended the host. */
  readonly served: Promise<void>
}

/** Runs a device host in this process, until it is stopped or the test is over. */
export function startHost(
  { url, token, redis, server }: { url: string; token: string; redis: RedisAddress; server: ServerAddress },
  whenOver: WhenOver = onTestFinished,
): StartedHost {
  const stop = new AbortController()
  const served = new DeviceHost({
    daemon: createClient({ baseUrl: url, token }),
    token,
    redis,
    server,
    version: '1.0.0',
    log: pino({ level: process.env['HOST_LOG'] ?? 'silent' }),
  }).serve(stop.signal)
  served.catch(() => {})
  whenOver(async () => {
    stop.abort()
    await served.catch(() => {})
  })
  return { stop: () => stop.abort(), served }
}

/** Registers a host with the daemon and starts it beside an adb server. */
export async function addHost(
  { url, call }: ListeningDaemon,
  place: { readonly redis: RedisAddress; readonly server: ServerAddress },
  whenOver?: WhenOver,
): Promise<void> {
  const { secret: token } = await call(createHost, { body: { name: HOST_NAME } })
  startHost({ url, token, ...place }, whenOver)
}

/** A simulated phone that a daemon reaches through a device host only. */
export interface HostedPhone {
  /** For the daemon. Its own adb server has no phone. */
  readonly phone: PhoneInUse
  readonly redis: RedisAddress
  /** Starts the host, and waits until the daemon has the phone and its facts. */
  readonly connect: (daemon: ListeningDaemon) => Promise<void>
}

export async function openHostedPhone(simApps: string | undefined, whenOver: WhenOver): Promise<HostedPhone> {
  const redis = { url: (await startRedisServer(whenOver)).url, prefix: 'test' }
  const empty = await startAdbServer({ hosts: [] })
  const simulated = createPhone({
    serial: formatFullSerial(HOST_NAME, SERIAL_AT_HOST),
    ...(simApps === undefined ? {} : { appsDirs: [simApps] }),
  })
  const face = await startAdbServer({ hosts: [withSerial(simulated, SERIAL_AT_HOST)] })
  const close = async () => {
    await empty.close()
    await face.close()
  }
  whenOver(close)
  return {
    phone: { server: toAddress(empty), description: `simulated (${simulated.serial})`, simulated, close },
    redis,
    connect: async (daemon) => {
      await addHost(daemon, { redis, server: toAddress(face) }, whenOver)
      await vi.waitUntil(async () => {
        const { devices } = await daemon.call(listDevices, {})
        return devices.some(({ serial, simulated: isKnown }) => serial === simulated.serial && isKnown)
      }, READY)
    },
  }
}

/** The same phone under another serial. */
export function withSerial(phone: PhoneHost, serial: string): PhoneHost {
  return {
    serial,
    banner: phone.banner,
    features: phone.features,
    files: phone.files,
    run: (command, io) => phone.run(command, io),
  }
}

const READY = { timeout: 60_000, interval: 10 }

const toAddress = ({ port }: { readonly port: number }): ServerAddress => ({ host: '127.0.0.1', port })
