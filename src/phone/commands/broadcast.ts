import type { Device } from '../model/device.ts'
import { pressKey } from '../model/key-press.ts'
import { ADB_KEYBOARD } from '../model/keyboard.ts'
import { keyNameOf } from '../model/keys.ts'
import { insertText, replaceText } from '../model/text-entry.ts'
import type { Intent } from './intent.ts'

/**
 * What installed receivers do with a broadcast. Only the text-by-broadcast input method listens,
 * and only while it is the one selected; for everybody else the broadcast is sent into the void.
 */
export function receiveBroadcast(device: Device, intent: Intent): number {
  if (device.keyboard.current !== ADB_KEYBOARD) return 0
  const text = intent.extras.get('msg') ?? ''
  switch (intent.action ?? '') {
    case 'ADB_INPUT_TEXT':
      insertText(device, text)
      return 0
    case 'ADB_INPUT_B64':
      insertText(device, Buffer.from(text, 'base64').toString('utf8'))
      return 0
    case 'ADB_CLEAR_TEXT':
      replaceText(device, '')
      return 0
    case 'ADB_INPUT_CODE':
      pressKey(device, { key: keyNameOf(intent.extras.get('code') ?? '') })
      return 0
    case 'ADB_EDITOR_CODE':
      pressKey(device, { key: 'ENTER' })
      return 0
    default:
      return 0
  }
}
