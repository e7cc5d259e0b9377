import type { App } from '../model/app.ts'
import type { Device } from '../model/device.ts'
import { keyboardTop } from '../model/keyboard.ts'
import type { AppContext } from '../model/scope.ts'
import type { View } from '../model/view.ts'

/** A window on the screen. The last window of a list is the active one. */
export interface Window {
  readonly id: number
  readonly kind: 'app' | 'dialog' | 'keyguard' | 'shade'
  readonly app: App
  readonly activity: string
  readonly title: string
  readonly root: View
  /** The layout is mirrored, because the language is written from right to left. */
  readonly mirrored?: boolean
  /** Called when a touch lands outside the window. Only dialogs have it. */
  readonly cancel?: () => void
}

export const STATUS_BAR_HEIGHT = 84
export const NAVIGATION_BAR_HEIGHT = 126

export interface Area {
  readonly width: number
  readonly height: number
}

/** Measures the area between the status bar and the keyboard or navigation bar. */
export function measureUsableArea(device: Device, keyboard: 'resize' | 'cover' = 'resize'): Area {
  const top = keyboard === 'resize' ? keyboardTop(device) : undefined
  const bottom = top ?? device.screen.height - NAVIGATION_BAR_HEIGHT
  return { width: device.screen.width, height: bottom - STATUS_BAR_HEIGHT }
}

export function baseView(context: AppContext, key: string, className: string) {
  return { key, className, packageName: context.app.document.package }
}
