import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { PhoneInUse } from '../src/floor/phone-in-use.ts'
import { createPhone } from '../src/phone/phone.ts'
import { startAdbdFace } from '../src/phone/wire/adbd-face.ts'
import { startRealAdb } from './phone/wire/real-adb.ts'

/**
 * Suites on a phone run twice: with the daemon's own embedded phone, and, in the project `real adb`, with the same
 * phone behind the adb server of the machine. Undefined stands for the former.
 */
export async function phoneOfTheRun(simApps: string | undefined): Promise<PhoneInUse | undefined> {
  if (process.env['APPRENTICE_TEST_FACE'] !== 'adbd') return undefined
  const adb = await startRealAdb()
  const port = await freePort()
  const phone = createPhone({
    serial: adb.serialOf(port),
    ...(simApps === undefined ? {} : { appsDirs: [simApps] }),
  })
  const face = await startAdbdFace({ host: phone, port })
  await adb.connect(port)
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= adb.stop().then(() => face.close()))
  onTestFinished(stop)
  return {
    server: { host: '127.0.0.1', port: adb.port },
    words: `simulated (${phone.serial}) behind a real adb server`,
    simulated: phone,
    close: stop,
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
