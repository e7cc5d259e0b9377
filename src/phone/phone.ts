import { readAppCatalog, shippedAppsFolder, type DocumentReport } from './documents/app-catalog.ts'
import { AppDialog } from './documents/app-document.ts'
import { systemClock, type PhoneClock } from './host/clock.ts'
import { createPrograms } from './commands/programs.ts'
import type { PhoneFaults } from './host/faults.ts'
import type { PhoneHost } from './host/host.ts'
import { LATENCY_PROFILES, type LatencyName, type LatencyProfile } from './host/latency.ts'
import { openDialog } from './model/actions.ts'
import { createDevice } from './model/create-device.ts'
import { nextId, setLocale, type Device } from './model/device.ts'
import type { StateRecord, StateValue } from './documents/evaluation.ts'
import { setAwake } from './model/key-press.ts'
import { createPerson, type Person } from './model/person.ts'
import { clearApp, foregroundOf, goHome, settle } from './model/tasks.ts'
import { visibleViews, type Rect, type View } from './model/view.ts'
import { activeWindow } from './model/window.ts'
import { runShell } from './shell/session.ts'
import type { z } from 'zod'

export { createManualClock, systemClock, type ManualClock, type PhoneClock } from './host/clock.ts'
export { readAppDocument, type AppDocument, type DocumentFault } from './documents/app-document.ts'
export { readAppCatalog, shippedAppsFolder, type DocumentReport } from './documents/app-catalog.ts'
export { FAULT_NAMES, type FaultName, type PhoneFaults } from './host/faults.ts'
export { LATENCY_PROFILES, type LatencyName, type LatencyProfile } from './host/latency.ts'
export type { Person } from './model/person.ts'
export type { StateRecord, StateValue } from './documents/evaluation.ts'

export interface PhoneOptions {
  readonly serial?: string
  readonly product?: string
  readonly model?: string
  readonly device?: string
  readonly features?: readonly string[]
  /** Folders with more apps; one of the same package replaces a shipped one. */
  readonly appsDirs?: readonly string[]
  /** False leaves the shipped apps out. */
  readonly shippedApps?: boolean
  readonly clock?: PhoneClock
  readonly latency?: LatencyName | LatencyProfile
  /** Picks the delays inside a latency range. */
  readonly seed?: number
  readonly locale?: string
  /** Installs the input method that takes text by broadcast. */
  readonly adbKeyboard?: boolean
  /** Largest values of the touch panel's axes; rarely the screen's own size. */
  readonly touchAxisMax?: { readonly x: number; readonly y: number }
  readonly props?: Readonly<Record<string, string>>
}

/** A node as a person would point at it, without any dump. */
export interface ScreenNode {
  readonly text: string
  readonly description: string
  readonly resourceId: string
  readonly className: string
  readonly packageName: string
  readonly clickable: boolean
  readonly enabled: boolean
  readonly checked: boolean
  readonly focused: boolean
  readonly selected: boolean
  readonly bounds: Rect
}

export interface AppState {
  readonly saved: StateRecord
  /** Empty while the app is not running. */
  readonly memory: StateRecord
  readonly screens: readonly {
    readonly screen: string
    readonly args: StateRecord
    readonly local: StateRecord
    readonly dialogs: readonly string[]
  }[]
}

export interface PhoneForeground {
  readonly packageName: string
  readonly activity: string
  readonly screen: string
  readonly dialog?: string
}

/** The simulated phone: what a face talks to, and what a test can look into. */
export interface Phone extends PhoneHost {
  /** Documents that were skipped when the phone was made. */
  readonly documentReports: readonly DocumentReport[]
  readonly faults: PhoneFaults
  readonly person: Person
  state(packageName: string): AppState
  /** Changes single values of what the app has saved or holds in memory. */
  setState(packageName: string, change: { saved?: StateRecord; memory?: StateRecord }): void
  /** Back to the day it was installed. */
  resetApp(packageName: string): void
  foreground(): PhoneForeground | undefined
  screenNodes(): readonly ScreenNode[]
  /** How often the screen was touched so far, by whomever. */
  touches(): number
  /** Texts of the toasts that can be seen now. */
  toasts(): readonly string[]
  /** Shows a dialog of an app by name, whatever the app is doing. */
  showDialog(packageName: string, dialog: string, args?: StateRecord): void
  /** Shows a dialog of the system above everything. */
  popUp(dialog: z.input<typeof AppDialog>): void
  locale(): string
  setLocale(locale: string): void
  setBattery(level: number, charging: boolean): void
  setLatency(latency: LatencyName | LatencyProfile): void
  setScreen(state: 'on' | 'off' | 'locked'): void
}

const FEATURES = ['shell_v2', 'cmd', 'stat_v2', 'ls_v2', 'fixed_push_mkdir']

export function createPhone(options: PhoneOptions = {}): Phone {
  const shipped = options.shippedApps === false ? [] : [shippedAppsFolder()]
  const catalog = readAppCatalog([...shipped, ...(options.appsDirs ?? [])])
  const banner = {
    product: options.product ?? 'apprentice_sim',
    model: options.model ?? 'Apprentice Phone',
    device: options.device ?? 'simulated',
  }
  const device = createDevice({
    serial: options.serial ?? 'SIMULATED01',
    product: banner.product,
    model: banner.model,
    codename: banner.device,
    clock: options.clock ?? systemClock,
    latency: latencyOf(options.latency ?? 'fast'),
    seed: options.seed ?? 1,
    locale: options.locale ?? 'en-US',
    documents: catalog.documents,
    adbKeyboard: options.adbKeyboard ?? false,
    touchAxisMax: options.touchAxisMax ?? { x: 32_767, y: 32_767 },
    props: options.props ?? {},
  })
  goHome(device)
  const programs = createPrograms()
  return {
    serial: device.serial,
    banner,
    features: options.features ?? FEATURES,
    files: device.files,
    run: (command, io) => runShell(device, programs, command, io),
    documentReports: catalog.reports,
    faults: device.faults,
    person: createPerson(device),
    ...inspection(device),
    ...control(device),
  }
}

function latencyOf(latency: LatencyName | LatencyProfile): LatencyProfile {
  return typeof latency === 'string' ? LATENCY_PROFILES[latency] : latency
}

type Inspection = Pick<
  Phone,
  'state' | 'foreground' | 'screenNodes' | 'touches' | 'toasts' | 'locale'
>

function inspection(device: Device): Inspection {
  return {
    state: (packageName) => {
      settle(device)
      const app = appOf(device, packageName)
      const screens = app.process?.stack ?? []
      return structuredClone({
        saved: app.saved,
        memory: app.process?.memory ?? {},
        screens: screens.map(({ name, args, local, dialogs }) => ({
          screen: name,
          args,
          local,
          dialogs: dialogs.map((dialog) => dialog.name),
        })),
      })
    },
    foreground: () => describeForeground(device),
    screenNodes: () => {
      const window = activeWindow(device)
      return window === undefined ? [] : [...visibleViews(window.root)].map(describeView)
    },
    touches: () => device.touches,
    toasts: () => {
      settle(device)
      const nowMs = device.clock.now()
      return device.toasts.filter((toast) => toast.untilMs > nowMs).map((toast) => toast.text)
    },
    locale: () => device.locale,
  }
}

function describeForeground(device: Device): PhoneForeground | undefined {
  const window = activeWindow(device)
  const front = foregroundOf(device)
  if (window === undefined || front === undefined) return undefined
  const dialog = window.kind === 'dialog' ? { dialog: window.title } : {}
  return {
    packageName: window.app.document.package,
    activity: window.activity,
    screen: window.kind === 'keyguard' ? 'keyguard' : front.screen.name,
    ...dialog,
  }
}

function describeView(view: View): ScreenNode {
  const { text, description, resourceId, className, packageName } = view
  const { clickable, enabled, checked, focused, selected, shown } = view
  return {
    text,
    description,
    resourceId,
    className,
    packageName,
    clickable,
    enabled,
    checked,
    focused,
    selected,
    bounds: shown,
  }
}

type Control = Omit<
  Phone,
  keyof PhoneHost | keyof Inspection | 'documentReports' | 'faults' | 'person'
>

function control(device: Device): Control {
  return {
    setState: (packageName, change) => {
      const app = appOf(device, packageName)
      merge(app.saved, change.saved)
      if (app.process !== undefined) merge(app.process.memory, change.memory)
    },
    resetApp: (packageName) => clearApp(device, appOf(device, packageName)),
    showDialog: (packageName, name, args = {}) => {
      const app = appOf(device, packageName)
      const document = app.document.dialogs[name]
      if (document === undefined) throw new Error(`${packageName} has no dialog "${name}"`)
      openDialog({ device, app }, { name, document, args })
    },
    popUp: (dialog) => {
      const document = AppDialog.parse(dialog)
      device.systemDialogs.push({
        app: device.systemApp,
        dialog: {
          id: nextId(device),
          name: 'popup',
          document,
          args: {},
          local: {},
          scrolls: new Map(),
        },
      })
    },
    setLocale: (locale) => setLocale(device, locale),
    setBattery: (level, charging) => {
      device.battery = { level, charging }
    },
    setLatency: (latency) => {
      device.latency = latencyOf(latency)
    },
    setScreen: (state) => {
      setAwake(device, state !== 'off')
      device.power.locked = state === 'locked' || (state === 'off' && device.power.locked)
    },
  }
}

function appOf(device: Device, packageName: string) {
  const app = device.apps.get(packageName)
  if (app === undefined) throw new Error(`no app ${packageName} on the phone`)
  return app
}

function merge(target: StateRecord, change: StateRecord | undefined): void {
  for (const [key, value] of Object.entries(change ?? {})) {
    target[key] = structuredClone<StateValue>(value)
  }
}
