import { expect, onTestFinished } from 'vitest'
import { AdbClient } from '../../../src/devices/adb/adb-client.ts'
import type { ServerAddress } from '../../../src/devices/adb/adb-socket.ts'
import type { PhoneHost } from '@apprentice/phone/host/host.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import type { AdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import type { WireFaults } from '@apprentice/phone/wire/faults.ts'
import { onRealAdb } from '../../kit/phone-of-the-run.ts'
import { realAdbAvailable, startRealAdb } from '../../phone/wire/real-adb.ts'
import { startServerProxy } from './server-proxy.ts'
import type { ServerProxy } from './server-proxy.ts'

/** Phones behind an adb server, for tests. */
export interface Rig {
  readonly server: ServerAddress
  readonly client: AdbClient
  readonly proxy: ServerProxy
  /** The serial of the phone on the server. */
  serial(phone: PhoneHost): string
  /** Sets faults of one phone, or clears all of them. */
  faults(phone: PhoneHost, change: Partial<WireFaults> | 'none'): Promise<void>
  /** Breaks the connection of the phone once. */
  cut(phone: PhoneHost): Promise<void>
  /** Disconnects the phone until `comeBack`. */
  vanish(phone: PhoneHost): Promise<void>
  comeBack(phone: PhoneHost): Promise<void>
  /** Kills the server. */
  killServer(): Promise<void>
  /** Restarts the server. A real one has lost its TCP devices. */
  restartServer(): Promise<void>
}

export interface RigKind {
  readonly name: string
  start(phones: readonly PhoneHost[]): Promise<Rig>
}

const embedded: RigKind = {
  name: 'the embedded adb server',
  async start(phones) {
    const face = await startAdbServer({ hosts: phones })
    const proxy = await startServerProxy(face)
    onTestFinished(async () => {
      await proxy.shut()
      await face.close()
    })
    const server = { host: '127.0.0.1', port: proxy.port }
    return {
      server,
      proxy,
      client: new AdbClient(server),
      serial: (phone) => phone.serial,
      faults: async (phone, change) => {
        const faults = face.faultsFor(phone.serial)
        if (change === 'none') faults.clear()
        else faults.set(change)
      },
      cut: async (phone) => face.cut({ serial: phone.serial }),
      vanish: async (phone) => face.removeHost(phone.serial),
      comeBack: async (phone) => face.addHost(phone),
      killServer: () => face.stop(),
      restartServer: () => face.start(),
    }
  },
}

const real: RigKind = {
  name: 'a real adb server',
  async start(phones) {
    const adb = await startRealAdb()
    const faces = new Map<PhoneHost, AdbdDevice>()
    for (const phone of phones) faces.set(phone, await startAdbdDevice({ host: phone }))
    const proxy = await startServerProxy(adb)
    onTestFinished(async () => {
      await proxy.shut()
      await adb.stop()
      for (const face of faces.values()) await face.close()
    })
    const server = { host: '127.0.0.1', port: proxy.port }
    const client = new AdbClient(server)
    const getFace = (phone: PhoneHost) => faces.get(phone) ?? expect.fail('not a phone of this rig')
    const serial = (phone: PhoneHost) => adb.toSerial(getFace(phone).port)
    for (const phone of phones) await client.reconnectTcp(serial(phone), { timeoutMs: 15_000 })
    return {
      server,
      proxy,
      client,
      serial,
      faults: async (phone, change) => {
        const { faults } = getFace(phone)
        const before = faults.current
        if (change === 'none') faults.clear()
        else faults.set(change)
        if (readHandshakeFaults(before) === readHandshakeFaults(faults.current)) return
        // These take effect at the next handshake. The call fails if the phone refuses, and waits if it does not answer.
        const timeoutMs = faults.current.muteConnect ? 1000 : 15_000
        await client.reconnectTcp(serial(phone), { timeoutMs }).catch(() => {})
      },
      cut: async (phone) => getFace(phone).cut(),
      vanish: (phone) => getFace(phone).stop(),
      comeBack: (phone) => getFace(phone).start(),
      killServer: () => adb.kill(),
      restartServer: () => adb.restart(),
    }
  },
}

function readHandshakeFaults({ muteConnect, unauthorized, noShellV2 }: WireFaults): string {
  return JSON.stringify([muteConnect, unauthorized, noShellV2])
}

/** Both servers if adb is installed, else only the embedded one. */
export const rigKinds: readonly RigKind[] = realAdbAvailable() ? [embedded, real] : [embedded]

/** The server for suites that run once per kind. */
export const currentRigKind: RigKind = onRealAdb ? real : embedded
