import { withLimits } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { openService } from '../shell/command-stream.ts'
import type { DeviceAddress } from '../shell/command-stream.ts'

const MAX_ANSWER_BYTES = 64 * 1024

/** Installs an APK as `adb install -r -t` does: its bytes are the input of the package manager. */
export function installApk(device: DeviceAddress, apk: Buffer, limits: CallLimits): Promise<void> {
  const subject = { serial: device.serial, what: 'installing an APK' }
  return withLimits(limits, subject, async (scope) => {
    const socket = await openService(device, `exec:cmd package install -r -t -S ${apk.length}`, scope)
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      socket.listen({
        data: (chunk) => {
          if (text.length < MAX_ANSWER_BYTES) text += chunk.toString('utf8')
          if (/^(?:Success|Failure\b.*)\r?$/m.test(text)) resolve(text)
        },
        end: reject,
      })
      socket.write(apk)
    })
    if (/^Success\r?$/m.test(answer)) return
    throw new OperationFailure('INSTALL_FAILED', `the phone refused the APK: ${answer.trim()}`, answer.trim())
  })
}
