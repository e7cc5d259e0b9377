import { IME_HELPER, receiveHelperText } from '../automation/ime-helper.ts'
import type { Device } from '../model/device.ts'
import { pressKey } from '../input/key-press.ts'
import { ADB_KEYBOARD } from '../model/keyboard.ts'
import { parseKeyName } from '../model/keys.ts'
import { insertText, replaceText } from '../input/text-entry.ts'
import type { Intent } from './intent.ts'

/**
 * Delivers a broadcast. The only receivers are the input methods that receive text by broadcast, each while
 * it is the selected one. Returns the result code.
 */
export function receiveBroadcast(device: Device, intent: Intent): number {
  if (device.keyboard.current === IME_HELPER) receiveHelperText(device, intent)
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
      pressKey(device, { key: parseKeyName(intent.extras.get('code') ?? '') })
      return 0
    case 'ADB_EDITOR_CODE':
      pressKey(device, { key: 'ENTER' })
      return 0
    default:
      return 0
  }
}
