import type { Orientation } from '@apprentice/contracts/devices/action.ts'
import type { Launch } from './app-launch.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { DeviceFacts } from './device-facts.ts'
import type { AppBuild, InstalledPackage, Launchable } from './fact-parsers.ts'
import type { Foreground } from './foreground.ts'
import type { Screenshot } from './screenshot.ts'
import type { UiSource } from './ui-source.ts'

/**
 * The operations on one device. Every call is bounded by its limits. It rejects with a `TransportFailure`
 * if the device could not be reached, and with an `OperationFailure` if the operation failed on the device.
 * A resolved call means that the device accepted the command, not that the screen has changed.
 */
export interface Driver extends UiSource {
  readonly serial: string
  tap(point: Point, limits: CallLimits): Promise<void>
  longPress(point: Point, durationMs: number, limits: CallLimits): Promise<void>
  swipe(swipe: Swipe, limits: CallLimits): Promise<void>
  keyevent(key: Key, limits: CallLimits): Promise<void>
  /** Turns the screen by the settings. An app that allows only one orientation keeps it. */
  setOrientation(orientation: Orientation, limits: CallLimits): Promise<void>
  /**
   * Types into the focused field. Text that cannot be typed is refused (`TEXT_UNSUPPORTED`) before the
   * first character.
   */
  enterText(text: string, limits: CallLimits): Promise<void>
  /** Deletes this many characters from the end of the line in the focused field. */
  clearText(characters: number, limits: CallLimits): Promise<void>
  openApp(packageId: string, limits: CallLimits): Promise<Launch>
  openUri(uri: string, limits: CallLimits): Promise<Launch>
  closeApp(packageId: string, limits: CallLimits): Promise<void>
  screenshot(limits: CallLimits): Promise<Screenshot>
  facts(limits: CallLimits): Promise<DeviceFacts>
  /** `undefined` if no app is in front or the device does not report it. */
  foreground(limits: CallLimits): Promise<Foreground | undefined>
  /** Turns the screen on and dismisses a lock without credentials. Returns the state afterwards. */
  wake(limits: CallLimits): Promise<Pick<DeviceFacts, 'awake' | 'locked'>>
  packages(limits: CallLimits): Promise<readonly InstalledPackage[]>
  /** `undefined` if the app is not installed or the device does not report it. */
  appBuild(packageId: string, limits: CallLimits): Promise<AppBuild | undefined>
  launchables(limits: CallLimits): Promise<readonly Launchable[]>
  pull(path: string, limits: CallLimits): Promise<Buffer>
  push(path: string, data: Buffer, limits: CallLimits): Promise<void>
}

export interface Point {
  readonly x: number
  readonly y: number
}

export interface Swipe {
  readonly from: Point
  readonly to: Point
  readonly durationMs: number
  /** Press for a moment before moving, to pick something up. */
  readonly hold?: boolean | undefined
}

/** A name from the list, or any Android key code by number. */
export type Key = keyof typeof KEY_CODES | number

export const KEY_CODES = {
  home: 3,
  back: 4,
  volume_up: 24,
  volume_down: 25,
  tab: 61,
  enter: 66,
  delete: 67,
  menu: 82,
  move_end: 123,
  recents: 187,
  wake_up: 224,
} as const
