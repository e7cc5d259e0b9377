import { listDevices, screenshotDevice, snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import { type DevicePreparation, getPreparation } from '@apprentice/contracts/devices/preparation.ts'
import type { Call } from '@apprentice/contracts/client.ts'
import { hintCommand } from '../terminal/command-hint.ts'
import { connect, describeError } from '../terminal/connection.ts'
import type { Check } from './check.ts'

/** Checks that the running daemon can use a phone: it is connected, its screen can be read and photographed. */
export async function checkDevice(named: string | true): Promise<Check[]> {
  const call = connect({})
  const found = await attempt('device', () => findDevice(call, named))
  if (typeof found !== 'string') return [found]
  const params = { serial: found }
  const screen = await attempt('device.screen', async () => {
    const { snapshot } = await call(snapshotDevice, { params, body: {} })
    return `${snapshot.elements.length} elements of ${snapshot.activity ?? 'an unknown activity'}`
  })
  const source = await attempt('device.source', async () => describeSource(await call(getPreparation, { params })))
  const picture = await attempt('device.picture', async () => {
    const { width, height } = await call(screenshotDevice, { params, body: {} })
    return `${width} x ${height} pixels`
  })
  return [
    { id: 'device', status: 'pass', summary: `${found} is connected` },
    toCheck('device.screen', screen),
    toCheck('device.source', source),
    toCheck('device.picture', picture),
  ]
}

/** How screens are read, and why not by the helper where it is installed. */
function describeSource({ serial, prepared_version, screens }: DevicePreparation): string {
  if (prepared_version === undefined) {
    return `screens are read by uiautomator dump; \`${hintCommand(`devices prepare ${serial}`)}\` installs a faster way`
  }
  const { source, last_failure } = screens
  const why = source === 'dump' && last_failure !== undefined ? ` (${last_failure.message})` : ''
  return `prepared with ${prepared_version}; the last screen was read by the ${source ?? 'dump'}${why}`
}

async function findDevice(call: Call, named: string | true): Promise<string> {
  const { devices } = await call(listDevices)
  const usable = devices.filter(({ state }) => state === 'device')
  const device = named === true ? usable[0] : devices.find(({ serial }) => serial === named)
  if (device === undefined) throw new Error(named === true ? 'no device is connected' : `there is no device ${named}`)
  if (device.state !== 'device') throw new Error(`${device.serial} is ${device.state}`)
  return device.serial
}

const toCheck = (id: string, result: string | Check): Check =>
  typeof result === 'string' ? { id, status: 'pass', summary: result } : result

async function attempt(id: string, work: () => Promise<string>): Promise<string | Check> {
  try {
    return await work()
  } catch (error) {
    return { id, status: 'fail', summary: describeError(error), fix: `check with \`${hintCommand('devices')}\`` }
  }
}
