import { onTestFinished } from 'vitest'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import type { FaultSwitch, WireFaults } from '@apprentice/phone/wire/faults.ts'
import type { ServiceTarget } from './host-client.ts'
import { ADB_NOT_INSTALLED, realAdbAvailable, startRealAdb } from './real-adb.ts'
import { type TinyPhone, tinyPhone } from './tiny-phone.ts'

/** A tiny phone attached to an adb server. */
export interface Rig {
  readonly phone: TinyPhone
  readonly target: ServiceTarget
  readonly faults: FaultSwitch
  /** Closes the phone's connection once. */
  readonly cut: () => void
}

export interface RigOptions {
  readonly features?: readonly string[]
  /** Set before the phone is attached. */
  readonly faults?: Partial<WireFaults>
}

/** The phone behind the simulated adb server. */
export async function simulatedServerRig({ faults = {}, ...about }: RigOptions = {}): Promise<Rig> {
  const phone = tinyPhone(about)
  const server = await startAdbServer({ hosts: [phone] })
  onTestFinished(() => server.close())
  server.faultsFor(phone.serial).set(faults)
  return {
    phone,
    target: { port: server.port, serial: phone.serial },
    faults: server.faultsFor(phone.serial),
    cut: () => server.cut({ serial: phone.serial }),
  }
}

/** The phone as an adbd device behind a real adb server. */
export async function realAdbRig({ faults = {}, ...about }: RigOptions = {}): Promise<Rig> {
  const phone = tinyPhone(about)
  const adbd = await startAdbdDevice({ host: phone })
  onTestFinished(() => adbd.close())
  adbd.faults.set(faults)
  const adb = await startRealAdb()
  onTestFinished(() => adb.stop())
  const message = await adb.connect(adbd.port)
  if (!message.startsWith('connected to')) throw new Error(message)
  return {
    phone,
    target: { port: adb.port, serial: adb.toSerial(adbd.port) },
    faults: adbd.faults,
    cut: () => adbd.cut(),
  }
}

/** The available ways to attach a phone, for `describe.each`. */
export const attachments = [
  { attachment: 'the simulated adb server', rig: simulatedServerRig },
  ...(realAdbAvailable() ? [{ attachment: 'an adbd device behind a real adb server', rig: realAdbRig }] : []),
]

if (attachments.length === 1) console.warn(`${ADB_NOT_INSTALLED}: only the simulated adb server is tested`)
