import { onTestFinished } from 'vitest'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import type { FaultSwitch, WireFaults } from '@apprentice/phone/wire/faults.ts'
import type { ServiceTarget } from './host-client.ts'
import { ADB_NOT_INSTALLED, realAdbAvailable, startRealAdb } from './real-adb.ts'
import { type TinyPhone, tinyPhone } from './tiny-phone.ts'

/** A tiny phone behind some adb server, whichever way it is attached. */
export interface Rig {
  readonly phone: TinyPhone
  readonly target: ServiceTarget
  readonly faults: FaultSwitch
  /** Loses the phone's connection once. */
  readonly cut: () => void
}

export interface RigOptions {
  readonly features?: readonly string[]
  /** In force before the phone is attached. */
  readonly faults?: Partial<WireFaults>
}

/** The phone inside the embedded adb server. */
export async function embeddedRig({ faults = {}, ...about }: RigOptions = {}): Promise<Rig> {
  const phone = tinyPhone(about)
  const face = await startAdbServer({ hosts: [phone] })
  onTestFinished(() => face.close())
  face.faultsFor(phone.serial).set(faults)
  return {
    phone,
    target: { port: face.port, serial: phone.serial },
    faults: face.faultsFor(phone.serial),
    cut: () => face.cut({ serial: phone.serial }),
  }
}

/** The phone connected to the adb server of the machine's own adb. */
export async function realAdbRig({ faults = {}, ...about }: RigOptions = {}): Promise<Rig> {
  const phone = tinyPhone(about)
  const face = await startAdbdDevice({ host: phone })
  onTestFinished(() => face.close())
  face.faults.set(faults)
  const adb = await startRealAdb()
  onTestFinished(() => adb.stop())
  const words = await adb.connect(face.port)
  if (!words.startsWith('connected to')) throw new Error(words)
  return {
    phone,
    target: { port: adb.port, serial: adb.toSerial(face.port) },
    faults: face.faults,
    cut: () => face.cut(),
  }
}

/** The ways to attach a phone that this machine offers, for `describe.each`. */
export const arrangements = [
  { face: 'the embedded adb server face', rig: embeddedRig },
  ...(realAdbAvailable()
    ? [{ face: 'the adbd face behind a real adb server', rig: realAdbRig }]
    : []),
]

if (arrangements.length === 1) console.warn(`${ADB_NOT_INSTALLED}: only one face is tested`)
