import { AndroidDriver } from '../../devices/driver/android-driver.ts'
import { type LogRequest, readDeviceLog } from '../../devices/driver/device-log.ts'
import type { CallLimits } from '../../devices/adb/call-limits.ts'
import type { DownMessage } from '../wire/messages.ts'
import type { HostedDevice } from './handed-execution.ts'

type ReadRequest = Extract<DownMessage, { type: 'read' }>

/** Reads from a device. Nothing here changes it, so no gate is asked. */
export function readDevice(device: HostedDevice, request: ReadRequest, signal: AbortSignal): Promise<unknown> {
  const { serial, method, args, timeoutMs } = request
  const limits: CallLimits = { timeoutMs, signal }
  const driver = new AndroidDriver(device.shell, { server: device.server, serial }, device.screens)
  switch (method) {
    case 'dump':
      return driver.dump(limits)
    case 'screenshot':
      return driver.screenshot(limits)
    case 'facts':
      return driver.facts(limits)
    case 'foreground':
      return driver.foreground(limits)
    case 'packages':
      return driver.packages(limits)
    case 'launchables':
      return driver.launchables(limits)
    case 'appBuild':
      return driver.appBuild(String(args[0]), limits)
    case 'log': {
      const window = args[0] as Omit<LogRequest, 'hostNow'>
      return readDeviceLog(device.shell, { ...window, hostNow: () => Date.now() }, limits)
    }
  }
}
