import type { PhoneClock } from '../host/clock.ts'
import type { PhoneFaults } from '../host/faults.ts'
import type { FileTree } from '../host/file-tree.ts'
import type { LatencyProfile } from '../host/latency.ts'
import type { App, OpenDialog } from './app.ts'
import type { StateRecord } from '../documents/evaluation.ts'
import type { SystemLog } from './system-log.ts'
import type { TouchPanel } from './touch-panel.ts'

/** The field that receives what is typed. */
export interface TextFocus {
  readonly windowId: number
  readonly key: string
  cursor: number
  /** All of the text is marked; the next character replaces it. */
  marked: boolean
}

export interface SystemDialog {
  readonly app: App
  readonly dialog: OpenDialog
}

export interface Keyboard {
  /** Every input method that is installed, the first being the phone's own. */
  readonly installed: readonly string[]
  current: string
  page: 'letters' | 'capitals' | 'symbols' | 'more'
  hidden: boolean
}

/** Everything the phone is, as plain data. Functions of the rooms around it change it. */
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
  /** Packages with a running task, the one on the screen first. */
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
  /** How often a finger went down, whoever's it was. */
  touches: number
  /** One UiAutomation may be connected at a time. */
  dumping: boolean
  lastId: number
}

export function nextId(device: Device): number {
  device.lastId += 1
  return device.lastId
}

/** The locale shows in three places, and they always agree. */
export function setLocale(device: Device, locale: string): void {
  device.locale = locale
  device.props.set('persist.sys.locale', locale)
  device.settings.system['system_locales'] = locale
}

export function launcherOf(device: Device): App | undefined {
  return [...device.apps.values()].find((app) => app.document.kind === 'launcher')
}

export function uptimeMs(device: Device): number {
  return device.clock.now() - device.bootedAtMs
}
