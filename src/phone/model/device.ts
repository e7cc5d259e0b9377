import type { ModelClock } from '../host/clock.ts'
import type { PhoneFaults } from '../host/faults.ts'
import type { PortListener } from '../host/host.ts'
import type { DialHost } from '../host/host.ts'
import type { FileTree } from '../host/file-tree.ts'
import type { LatencyProfile } from '../host/latency.ts'
import type { App, OpenDialog, OpenScreen } from './app.ts'
import type { StateRecord } from '../documents/evaluation.ts'
import type { PackageSettings } from './package-settings.ts'
import type { ProcessTable } from './process-table.ts'
import type { SystemLog } from './system-log.ts'
import type { TouchPanel } from './touch-panel.ts'

/** The text field that receives input. */
export interface TextFocus {
  readonly windowId: number
  readonly key: string
  cursor: number
  /** The whole text is selected. The next character replaces it. */
  allSelected: boolean
}

export interface Ripple {
  readonly x: number
  readonly y: number
  /** The key of the view, or `keyboard`. */
  readonly key: string
  readonly windowId: number
  readonly atMs: number
}

export interface SystemDialog {
  readonly app: App
  readonly dialog: OpenDialog
}

/** A notification in the shade. */
export interface PhoneNotification {
  readonly key: number
  readonly app: App
  readonly title: string
  readonly text: string
  /** Runs after a tap brought the app to the front. */
  open(): void
}

export interface Keyboard {
  /** Installed input methods. The first is the built-in keyboard. */
  readonly installed: string[]
  /** Those that can be selected. */
  readonly enabled: Set<string>
  current: string
  page: 'letters' | 'capitals' | 'symbols' | 'more' | 'digits'
  hidden: boolean
}

export interface Screen {
  readonly width: number
  readonly height: number
  readonly density: number
}

/** The state of the phone. The functions in this folder and in commands/ change it. */
export interface Device {
  readonly serial: string
  /** The screen as it is turned now. */
  readonly screen: Screen
  /** How the screen is built in. The touch panel does not turn with what is displayed. */
  readonly naturalScreen: Screen
  readonly clock: ModelClock
  readonly bootedAtMs: number
  readonly files: FileTree
  readonly faults: PhoneFaults
  readonly log: SystemLog
  readonly packageSettings: PackageSettings
  /** Ports that `adb reverse` connects to the computer. */
  readonly reversed: Map<string, DialHost>
  /** Programs of the shell that run beside others. */
  readonly processes: ProcessTable
  readonly panel: TouchPanel
  readonly props: Map<string, string>
  readonly settings: Readonly<Record<'system' | 'secure' | 'global', StateRecord>>
  readonly apps: Map<string, App>
  latency: LatencyProfile
  readonly pickDelay: (range: number | readonly [number, number]) => number
  locale: string
  battery: { level: number; charging: boolean }
  power: { awake: boolean; locked: boolean }
  /** Packages with a task, most recent first. The first is in the foreground. */
  tasks: string[]
  readonly systemDialogs: SystemDialog[]
  readonly systemApp: App
  notifications: readonly PhoneNotification[]
  /** The notification shade while it is open. */
  shade: OpenScreen | undefined
  lastTouch: { readonly x: number; readonly y: number }
  /** The view or key that was touched last, to show the touch on it for a moment. */
  ripple: Ripple | undefined
  /** How pictures of the screen are drawn. */
  readonly drawing: 'material' | 'bitmap'
  focus: TextFocus | undefined
  readonly keyboard: Keyboard
  clipboard: string
  readonly toasts: {
    readonly text: string
    readonly untilMs: number
    readonly packageName: string
  }[]
  /** Number of touches, by the person and by commands. */
  touches: number
  /** Whether dumps have the attribute `hint`. */
  readonly dumpHints: boolean
  /** True while a `uiautomator dump` runs. Android allows one UiAutomation client at a time. */
  dumping: boolean
  /** The programs that listen on TCP ports. */
  readonly listeners: Map<number, PortListener>
  /** The instrumentations that run, by package. */
  readonly instrumentations: Map<string, RunningInstrumentation>
  lastId: number
}

export interface RunningInstrumentation {
  /** It has connected to the accessibility of the phone, and keeps out `uiautomator`. */
  holdsScreen: boolean
  /** Ends the process. */
  kill(): void
}

export function nextId(device: Device): number {
  device.lastId += 1
  return device.lastId
}

/** Sets the locale, its system property and its setting. */
export function setLocale(device: Device, locale: string): void {
  device.locale = locale
  device.props.set('persist.sys.locale', locale)
  device.settings.system['system_locales'] = locale
}

export type Rotation = 0 | 1 | 2 | 3

/** How the screen is turned, in quarters: as the settings say, or upright while the sensor decides, as on a table. */
export function readRotation({ settings: { system } }: Pick<Device, 'settings'>): Rotation {
  if (system['accelerometer_rotation'] !== '0') return 0
  const turned = Number(system['user_rotation'])
  return turned === 1 || turned === 2 || turned === 3 ? turned : 0
}

const RTL_LANGUAGES = new Set(['ar', 'he', 'iw', 'fa', 'ur'])

/** Whether the language of the phone is written from right to left. */
export function isRightToLeft(device: Device): boolean {
  return RTL_LANGUAGES.has(device.locale.split('-')[0] ?? '')
}

export function findLauncher(device: Device): App | undefined {
  return [...device.apps.values()].find((app) => app.document.kind === 'launcher')
}

/** Finds the app that draws a part of the system, such as the lock screen. */
export function findAppWithScreen(device: Device, name: string): App | undefined {
  return [...device.apps.values()].find((app) => Object.hasOwn(app.document.screens, name))
}

/** Opens the notification shade. */
export function openShade(device: Device): void {
  device.shade = {
    id: nextId(device),
    name: 'shade',
    args: {},
    local: {},
    readyAtMs: 0,
    scrolls: new Map(),
    dialogs: [],
  }
}

export function readUptimeMs(device: Device): number {
  return device.clock.now() - device.bootedAtMs
}
