import type { OpenScreen } from '../model/app.ts'
import { findAppWithScreen, isRightToLeft, type Device } from '../model/device.ts'
import { findForeground, runDueTimers, type Foreground } from '../model/tasks.ts'
import type { View } from '../model/view.ts'
import { addDialog, createDialogWindow } from './dialog-window.ts'
import type { Window } from './frame.ts'
import { mirrorView } from './mirror.ts'
import { createScreenWindow } from './screen-window.ts'

/** The windows on the screen, bottom first. Empty while the screen is off. */
export function currentWindows(device: Device): readonly Window[] {
  runDueTimers(device)
  if (!device.power.awake) return []
  const keyguard = device.power.locked ? createKeyguardWindow(device) : undefined
  if (keyguard !== undefined) return [keyguard]
  const front = findForeground(device)
  if (front === undefined) return []
  const activeId =
    device.shade?.id ?? device.systemDialogs.at(-1)?.dialog.id ?? front.screen.dialogs.at(-1)?.id ?? front.screen.id
  if (device.focus?.windowId !== activeId) device.focus = undefined
  const before = device.focus
  const windows = createWindows(device, front)
  const focus = device.focus
  const isGone = focus !== undefined && findView(windows.at(-1)?.root, focus.key) === undefined
  if (focus === before && !isGone) return windows
  // A field got the focus as it appeared, or disappeared with it: lay out the windows again for the keyboard.
  if (isGone) device.focus = undefined
  return createWindows(device, front)
}

function createWindows(device: Device, { app, screen }: Foreground): Window[] {
  const windows = [createScreenWindow(device, app, screen)]
  for (const [index, dialog] of screen.dialogs.entries()) {
    const close = (): void => {
      screen.dialogs.splice(index, 1)
    }
    const context = { device, app, screen, dialog }
    const below = windows.at(-1)
    if (dialog.document.in_screen && below !== undefined) windows.splice(-1, 1, addDialog(below, context, close))
    else windows.push(createDialogWindow(context, close))
  }
  for (const [index, { app: owner, dialog }] of device.systemDialogs.entries()) {
    const close = (): void => {
      device.systemDialogs.splice(index, 1)
    }
    windows.push(createDialogWindow({ device, app: owner, dialog }, close))
  }
  if (device.shade !== undefined) windows.push(...createShadeWindows(device, device.shade))
  return windows.map((window) => orientWindow(device, window))
}

/** Mirrors the window of an app that supports languages written from right to left. A recorded tree stays as it is. */
function orientWindow(device: Device, window: Window): Window {
  if (!isRightToLeft(device) || !window.app.document.rtl || window.root.fixedClass) return window
  mirrorView(window.root, device.screen.width)
  return { ...window, mirrored: true }
}

function createShadeWindows(device: Device, screen: OpenScreen): Window[] {
  const app = findAppWithScreen(device, 'shade')
  if (app === undefined) return []
  return [{ ...createScreenWindow(device, app, screen), kind: 'shade', activity: 'NotificationShade' }]
}

export function activeWindow(device: Device): Window | undefined {
  return currentWindows(device).at(-1)
}

export function findView(root: View | undefined, key: string): View | undefined {
  if (root === undefined || root.key === key) return root
  for (const child of root.children) {
    const found = findView(child, key)
    if (found !== undefined) return found
  }
  return undefined
}

function createKeyguardWindow(device: Device): Window | undefined {
  const app = findAppWithScreen(device, 'keyguard')
  if (app === undefined) return undefined
  const screen: OpenScreen = {
    id: 0,
    name: 'keyguard',
    args: {},
    local: {},
    readyAtMs: 0,
    scrolls: new Map(),
    dialogs: [],
  }
  return {
    ...createScreenWindow(device, app, screen),
    kind: 'keyguard',
    activity: 'NotificationShade',
  }
}
