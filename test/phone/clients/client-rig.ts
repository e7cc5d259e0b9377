import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { findProgram } from '../../../src/setup/system-packages.mjs'
import { startRealAdb } from '../wire/real-adb.ts'

/** A simulated phone behind a real adb server, for clients of other people. */
export interface ClientRig {
  readonly phone: Phone
  readonly adbPort: number
  readonly serial: string
  /** A folder for files of the test. `sdk` in it looks like an Android SDK with adb. */
  readonly folder: string
  stop(): Promise<void>
}

export async function startClientRig(): Promise<ClientRig> {
  const phone = createPhone()
  const adb = await startRealAdb()
  const device = await startAdbdDevice({ host: phone })
  await adb.connect(device.port)
  const folder = await mkdtemp(join(tmpdir(), 'phone-client-'))
  await mkdir(join(folder, 'sdk', 'platform-tools'), { recursive: true })
  await symlink(findProgram('adb') ?? 'adb', join(folder, 'sdk', 'platform-tools', 'adb'))
  return {
    phone,
    adbPort: adb.port,
    serial: adb.toSerial(device.port),
    folder,
    stop: async () => {
      await adb.stop()
      await device.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
