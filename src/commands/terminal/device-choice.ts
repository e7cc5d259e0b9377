import type { Call } from '@apprentice/contracts/client.ts'
import { listDevices } from '@apprentice/contracts/devices/device.ts'

export interface SerialOption {
  readonly serial?: string
}

/** Returns the given serial, or that of the only connected device. */
export async function chooseDevice(call: Call, { serial }: SerialOption): Promise<string> {
  if (serial !== undefined) return serial
  const { devices } = await call(listDevices)
  const connected = devices.filter(({ state }) => state === 'device')
  const [only] = connected
  if (only === undefined) throw new Error('No device is connected.')
  if (connected.length === 1) return only.serial
  const names = connected.map((device) => device.serial).join(', ')
  throw new Error(`Several devices are connected. Choose one with --serial: ${names}`)
}
