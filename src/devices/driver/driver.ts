import type { Launch } from './app-launch.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { DeviceFacts } from './device-facts.ts'
import type { AppBuild, InstalledPackage, Launchable } from './fact-parsers.ts'
import type { Foreground } from './foreground.ts'
import type { Screenshot } from './screenshot.ts'
import type { UiSource } from './ui-source.ts'

/**
 * What can be done with one device. Every call is bounded by its limits and rejects with a
 * `TransportFailure` when the device could not be reached, or with an `OperationFailure` when it was
 * reached and the thing could not be done. Resolving means the device accepted the command, not that
 * the screen has changed: that is for the caller to look at.
 */
export interface Driver extends UiSource {
  readonly serial: string
  tap(point: Point, limits: CallLimits): Promise<void>
  longPress(point: Point, durationMs: number, limits: CallLimits): Promise<void>
  swipe(swipe: Swipe, limits: CallLimits): Promise<void>
  keyevent(key: Key, limits: CallLimits): Promise<void>
  /**
   * Types into the field in focus. All of the text is checked first: what cannot be typed is refused
   * (`TEXT_UNSUPPORTED`) before the first character.
   */
  enterText(text: string, limits: CallLimits): Promise<void>
  /** Deletes this many characters before the end of the line in the field in focus. */
  clearText(characters: number, limits: CallLimits): Promise<void>
  openApp(packageId: string, limits: CallLimits): Promise<Launch>
  openUri(uri: string, limits: CallLimits): Promise<Launch>
  closeApp(packageId: string, limits: CallLimits): Promise<void>
  screenshot(limits: CallLimits): Promise<Screenshot>
  facts(limits: CallLimits): Promise<DeviceFacts>
  /** `undefined` when no app is in front or the device does not tell. */
  foreground(limits: CallLimits): Promise<Foreground | undefined>
  /** Turns the screen on and lifts a lock that asks for nothing; tells how it stands afterwards. */
  wake(limits: CallLimits): Promise<Pick<DeviceFacts, 'awake' | 'locked'>>
  packages(limits: CallLimits): Promise<readonly InstalledPackage[]>
  /** `undefined` when there is no such app or the device does not tell. */
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
