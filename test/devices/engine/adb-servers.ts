import { AdbClient } from '../../../src/devices/adb/adb-client.ts'
import type { ServerAddress } from '../../../src/devices/adb/adb-socket.ts'
import type { PhoneHost } from '@apprentice/phone/host/host.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import type { WireFaults } from '@apprentice/phone/wire/faults.ts'
import { withSerial } from '../../kit/hosted-phone.ts'
import { ADB_NOT_INSTALLED, realAdbAvailable, startRealAdb } from '../../phone/wire/real-adb.ts'

/** An adb server that phones can be attached to. */
export interface Server {
  readonly address: ServerAddress
  attach(phone: PhoneHost): Promise<AttachedPhone>
  /** Kills the server. `revive` restarts it without its phones. */
  kill(): Promise<void>
  revive(): Promise<void>
  close(): Promise<void>
}

export interface AttachedPhone {
  readonly serial: string
  faults(change: Partial<WireFaults>): Promise<void>
  /** Disconnects the phone. */
  unplug(): Promise<void>
  detach(): Promise<void>
}

export interface ServerKind {
  readonly name: string
  readonly available: boolean
  start(): Promise<Server>
}

const EMBEDDED: ServerKind = {
  name: 'the embedded adb server',
  available: true,
  async start() {
    const face = await startAdbServer({ hosts: [] })
    let number = 0
    return {
      address: { host: '127.0.0.1', port: face.port },
      attach: async (phone) => {
        number += 1
        const serial = `sim-${number}`
        face.addHost(withSerial(phone, serial))
        let plugged = true
        const unplug = async () => {
          if (plugged) face.removeHost(serial)
          plugged = false
        }
        const faults = async (change: Partial<WireFaults>) => face.faultsFor(serial).set(change)
        return { serial, faults, unplug, detach: unplug }
      },
      kill: () => face.stop(),
      revive: () => face.start(),
      close: () => face.close(),
    }
  },
}

const REAL: ServerKind = {
  name: 'a real adb server and the adbd face',
  available: realAdbAvailable(),
  async start() {
    const adb = await startRealAdb()
    const address = { host: '127.0.0.1', port: adb.port }
    const client = new AdbClient(address)
    return {
      address,
      attach: async (phone) => {
        const face = await startAdbdDevice({ host: phone })
        const reply = await adb.connect(face.port)
        if (!reply.startsWith('connected to')) throw new Error(reply)
        const serial = adb.toSerial(face.port)
        return {
          serial,
          faults: async (change) => {
            face.faults.set(change)
            if (!('muteConnect' in change) && !('unauthorized' in change)) return
            // These take effect at the next handshake, which then fails.
            await client.reconnectTcp(serial, { timeoutMs: 1000 }).catch(() => {})
          },
          unplug: () => face.stop(),
          detach: async () => {
            await adb.disconnect(face.port).catch(() => {})
            await face.close()
          },
        }
      },
      kill: () => adb.kill(),
      revive: () => adb.restart(),
      close: () => adb.stop(),
    }
  },
}

/** Both kinds of adb server. Suites skip the one that is not installed. */
export const serverKinds: readonly ServerKind[] = [EMBEDDED, REAL]

if (!REAL.available) console.warn(`${ADB_NOT_INSTALLED}: only the embedded server is tested`)
