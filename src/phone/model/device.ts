import type { PhoneClock } from '../host/clock.ts'
import type { PhoneFaults } from '../host/faults.ts'
import type { FileTree } from '../host/file-tree.ts'
import type { LatencyProfile } from '../host/latency.ts'
import type { App, OpenDialog } from './app.ts'
import type { StateRecord } from '../documents/evaluation.ts'
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

export interface SystemDialog {
  readonly app: App
  readonly dialog: OpenDialog
}

export interface Keyboard {
  /** Installed input methods. The first is the built-in keyboard. */
  readonly installed: readonly string[]
  current: string
  page: 'letters' | 'capitals' | 'symbols' | 'more'
  hidden: boolean
}

/** The state of the phone. The functions in this folder and in commands/ change it. */
export interface Device {
  readonly serial: string
  readonly screen: { readonly width: number; readonly height: number; readonly density: number }
  readonly clock: PhoneClock
  readonly bootedAtMs: number
  readonly files: FileTree
  readonly faults: PhoneFaults
  readonly log: SystemLog
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
  /** True while a `uiautomator dump` runs. Android allows one UiAutomation client at a time. */
  dumping: boolean
  lastId: number
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

export function findLauncher(device: Device): App | undefined {
  return [...device.apps.values()].find((app) => app.document.kind === 'launcher')
}

export function readUptimeMs(device: Device): number {
  return device.clock.now() - device.bootedAtMs
}
