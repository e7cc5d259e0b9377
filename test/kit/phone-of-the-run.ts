import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { PhoneInUse } from '../../src/device-runtime/devices/phone-in-use.ts'
import { createPhone } from '@apprentice/phone/phone.ts'
import { startAdbdDevice } from '@apprentice/phone/wire/adbd-device.ts'
import { startRealAdb } from '../phone/wire/real-adb.ts'

/** Whether this run reaches its phone through the adb server of the machine. */
export const onRealAdb = process.env['APPRENTICE_TEST_FACE'] === 'adbd'

/** Whether this run reaches its phone through a device host. */
export const throughHost = process.env['APPRENTICE_TEST_FACE'] === 'host'

/** Takes what has to be done when a test, or all of a file, is over. */
export type WhenOver = (end: () => void | Promise<void>) => void

/**
 * Suites on a phone run twice: with the daemon's own embedded phone, and, in the project `real adb`, with the same
 * phone behind the adb server of the machine. Undefined stands for the former.
 */
export async function phoneOfTheRun(
  simApps: string | undefined,
  whenOver: WhenOver = onTestFinished,
): Promise<PhoneInUse | undefined> {
  if (!onRealAdb) return undefined
  const adb = await startRealAdb()
  const port = await findFreePort()
  const phone = createPhone({
    serial: adb.toSerial(port),
    ...(simApps === undefined ? {} : { appsDirs: [simApps] }),
  })
  const face = await startAdbdDevice({ host: phone, port })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= adb.stop().then(() => face.close()))
  whenOver(stop)
  const words = await adb.connect(port)
  if (!words.startsWith('connected to')) throw new Error(words)
  return {
    server: { host: '127.0.0.1', port: adb.port },
    description: `simulated (${phone.serial}) behind a real adb server`,
    simulated: phone,
    close: stop,
  }
}

export function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
