import { insertText, replaceText } from '../input/text-entry.ts'
import type { Device } from '../model/device.ts'

export const IME_HELPER = 'com.callstack.agentdevice.imehelper/.TestInputMethodService'
const PACKAGE = 'com.callstack.agentdevice.imehelper'
const PROTOCOL = 'android-ime-helper-v1'
const MAX_TEXT_LENGTH = 16_384

interface TextBroadcast {
  readonly action?: string
  readonly packageName?: string
  readonly extras: ReadonlyMap<string, string>
}

/** The keyboard helper of agent-device 0.21. It writes what it drops to the log, and reports nothing. */
export function receiveHelperText(device: Device, { action = '', packageName = PACKAGE, extras }: TextBroadcast): void {
  if (packageName !== PACKAGE || !action.startsWith(`${PACKAGE}.ACTION_`)) return
  const protocol = extras.get('protocol') ?? PROTOCOL
  if (protocol !== PROTOCOL) {
    writeLog(device, `handleAction: rejected ${action}, protocol mismatch`)
    return
  }
  const text = extras.get('text') ?? ''
  switch (action.slice(PACKAGE.length + 1)) {
    case 'ACTION_INPUT_TEXT_B64':
      commit(device, Buffer.from(text, 'base64').toString('utf8'))
      return
    case 'ACTION_INPUT_TEXT':
      commit(device, text)
      return
    case 'ACTION_CLEAR_TEXT':
      replaceText(device, '')
  }
}

function commit(device: Device, text: string): void {
  if (device.focus === undefined) writeLog(device, 'handleAction: no current input connection')
  else insertText(device, text.slice(0, MAX_TEXT_LENGTH))
}

function writeLog(device: Device, text: string): void {
  device.log.write({ pid: 0, level: 'W', tag: 'AgentDeviceTestIME', text })
}
