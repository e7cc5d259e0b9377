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
import { startServerDoor } from './server-door.ts'
import type { ServerDoor } from './server-door.ts'

/** Phones behind an adb server, as a test meets them. */
export interface Rig {
  readonly server: ServerAddress
  readonly client: AdbClient
  readonly door: ServerDoor
  /** How the server names the phone. */
  serial(phone: PhoneHost): string
  /** Turns faults of one phone on, or all of its faults off. */
  faults(phone: PhoneHost, change: Partial<WireFaults> | 'none'): Promise<void>
  /** The phone's connection breaks once. */
  cut(phone: PhoneHost): Promise<void>
  /** The phone leaves; whoever watches must bring it back after `comeBack`. */
  vanish(phone: PhoneHost): Promise<void>
  comeBack(phone: PhoneHost): Promise<void>
  /** The server dies without a word. */
  killServer(): Promise<void>
  /** A server is back; a real one has forgotten its TCP devices. */
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
    const door = await startServerDoor(face)
    onTestFinished(async () => {
      await door.shut()
      await face.close()
    })
    const server = { host: '127.0.0.1', port: door.port }
    return {
      server,
      door,
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
    const door = await startServerDoor(adb)
    onTestFinished(async () => {
      await door.shut()
      await adb.stop()
      for (const face of faces.values()) await face.close()
    })
    const server = { host: '127.0.0.1', port: door.port }
    const client = new AdbClient(server)
    const faceOf = (phone: PhoneHost) => faces.get(phone) ?? expect.fail('not a phone of this rig')
    const serial = (phone: PhoneHost) => adb.toSerial(faceOf(phone).port)
    for (const phone of phones) await client.reconnectTcp(serial(phone), { timeoutMs: 15_000 })
    return {
      server,
      door,
      client,
      serial,
      faults: async (phone, change) => {
        const { faults } = faceOf(phone)
        const before = faults.current
        if (change === 'none') faults.clear()
        else faults.set(change)
        if (shakesHands(before) === shakesHands(faults.current)) return
        // These count from the next handshake on. A phone that refuses makes the call fail.
        await client.reconnectTcp(serial(phone), { timeoutMs: 1000 }).catch(() => {})
      },
      cut: async (phone) => faceOf(phone).cut(),
      vanish: (phone) => faceOf(phone).stop(),
      comeBack: (phone) => faceOf(phone).start(),
      killServer: () => adb.kill(),
      restartServer: () => adb.restart(),
    }
  },
}

function shakesHands({ muteConnect, unauthorized, noShellV2 }: WireFaults): string {
  return JSON.stringify([muteConnect, unauthorized, noShellV2])
}

/** Both servers where adb is installed; the embedded one alone elsewhere. */
export const rigKinds: readonly RigKind[] = realAdbAvailable() ? [embedded, real] : [embedded]

/** The one of them a suite uses that is run once for each. */
export const rigOfTheRun: RigKind = onRealAdb ? real : embedded
