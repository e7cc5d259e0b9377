import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { AdbClient } from '../../devices/adb/adb-client.ts'
import { createPhone, type Phone } from '@apprentice/phone/phone.ts'
import { startAdbServer } from '@apprentice/phone/wire/adb-server.ts'

/** The adb server the daemon uses, and the phone behind it. */
export interface PhoneInUse {
  readonly server: { readonly host: string; readonly port: number }
  /** Printed at startup and by the health check. */
  readonly description: string
  /** Set when the daemon started a simulated phone. */
  readonly simulated: Phone | undefined
  close(): Promise<void>
}

/** With `auto`, uses the adb server if it lists a device, otherwise starts a simulated phone. */
export async function choosePhone(config: Config, log: Logger): Promise<PhoneInUse> {
  const { phone, adb } = config
  if (phone === 'none') return { ...realPhone(adb), description: 'none' }
  const useReal = phone === 'adb' || (phone === 'auto' && (await listsDevice(adb)))
  return useReal ? realPhone(adb) : simulatedPhone(config.simApps, log)
}

async function listsDevice(server: PhoneInUse['server']): Promise<boolean> {
  try {
    return (await new AdbClient(server).listDevices({ timeoutMs: 1000 })).length > 0
  } catch {
    return false
  }
}

const realPhone = (server: PhoneInUse['server']): PhoneInUse => ({
  server,
  description: `adb server at ${server.host}:${server.port}`,
  simulated: undefined,
  close: async () => {},
})

async function simulatedPhone(appsDir: string | undefined, log: Logger): Promise<PhoneInUse> {
  const phone = createPhone(appsDir === undefined ? {} : { appsDirs: [appsDir] })
  for (const report of phone.documentReports) log.warn({ report }, 'a simulated app was skipped')
  const face = await startAdbServer({ hosts: [phone] })
  return {
    server: { host: '127.0.0.1', port: face.port },
    description: `simulated (${phone.serial})`,
    simulated: phone,
    close: () => face.close(),
  }
}
