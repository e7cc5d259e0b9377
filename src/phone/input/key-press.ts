import type { Device } from '../model/device.ts'
import { findCharacter, type KeyName } from '../model/keys.ts'
import { keyboardTop } from '../model/keyboard.ts'
import { goBack, goHome, showRecents } from '../model/tasks.ts'
import {
  copySelection,
  deleteText,
  focusedField,
  focusNextField,
  insertText,
  selectAll,
  moveCursor,
} from './text-entry.ts'
import { activeWindow } from '../windows/window.ts'

export interface KeyPress {
  readonly key: KeyName
  readonly shift?: boolean
  readonly ctrl?: boolean
}

/** Applies a key press of a hardware button, a keyboard or a command. */
export function pressKey(device: Device, press: KeyPress): void {
  if (pressPowerKey(device, press.key)) return
  const window = activeWindow(device)
  if (window === undefined) return
  if (window.kind === 'keyguard') {
    if (press.key === 'MENU') device.power.locked = false
    return
  }
  if (pressNavigationKey(device, press.key)) return
  if (press.ctrl === true) pressEditingKey(device, press.key)
  else pressTextKey(device, press)
}

export function setAwake(device: Device, awake: boolean): void {
  if (device.power.awake === awake) return
  device.power.awake = awake
  if (awake) return
  device.focus = undefined
  device.power.locked = device.settings.secure['lockscreen.disabled'] !== '1'
}

function pressPowerKey(device: Device, key: KeyName): boolean {
  if (key === 'POWER') setAwake(device, !device.power.awake)
  else if (key === 'WAKEUP') setAwake(device, true)
  else if (key === 'SLEEP') setAwake(device, false)
  else return false
  return true
}

function pressNavigationKey(device: Device, key: KeyName): boolean {
  switch (key) {
    case 'BACK':
    case 'ESCAPE':
      if (keyboardTop(device) === undefined) goBack(device)
      else device.keyboard.hidden = true
      return true
    case 'HOME':
      goHome(device)
      return true
    case 'APP_SWITCH':
      showRecents(device)
      return true
    default:
      return false
  }
}

function pressEditingKey(device: Device, key: KeyName): void {
  if (key === 'A') selectAll(device)
  else if (key === 'C') copySelection(device, false)
  else if (key === 'X') copySelection(device, true)
  else if (key === 'V') insertText(device, device.clipboard)
}

function pressTextKey(device: Device, { key, shift }: KeyPress): void {
  switch (key) {
    case 'DEL':
      deleteText(device, 'before')
      return
    case 'FORWARD_DEL':
      deleteText(device, 'after')
      return
    case 'MOVE_HOME':
      moveCursor(device, 'start')
      return
    case 'MOVE_END':
      moveCursor(device, 'end')
      return
    case 'DPAD_LEFT':
      moveCursor(device, 'left')
      return
    case 'DPAD_RIGHT':
      moveCursor(device, 'right')
      return
    case 'TAB':
      focusNextField(device)
      return
    case 'ENTER':
    case 'NUMPAD_ENTER':
      pressEnter(device)
      return
    case 'CUT':
    case 'COPY':
      copySelection(device, key === 'CUT')
      return
    case 'PASTE':
      insertText(device, device.clipboard)
      return
    default:
      insertText(device, findCharacter(key, shift ?? false) ?? '')
  }
}

/** In a single-line field, Enter submits and hides the keyboard. */
function pressEnter(device: Device): void {
  const field = focusedField(device)
  if (field === undefined) return
  if (field.multiline) {
    insertText(device, '\n')
    return
  }
  device.keyboard.hidden = true
  field.submit()
}
