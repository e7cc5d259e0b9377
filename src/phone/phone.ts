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
import { setAwake } from './input/key-press.ts'
import { createPerson, type Person } from './input/person.ts'
import { clearApp, findForeground, goHome, runDueTimers } from './model/tasks.ts'
import { visibleViews, type Rect, type View } from './model/view.ts'
import { activeWindow } from './windows/window.ts'
import { runShell } from './shell/session.ts'
import type { z } from 'zod'

export { createManualClock, systemClock, type ManualClock, type PhoneClock } from './host/clock.ts'
export { readAppDocument, type AppDocument, type DocumentFault } from './documents/app-document.ts'
export { readAppCatalog, shippedAppsFolder, type DocumentReport } from './documents/app-catalog.ts'
export { FAULT_NAMES, type FaultName, type PhoneFaults } from './host/faults.ts'
export { LATENCY_PROFILES, type LatencyName, type LatencyProfile } from './host/latency.ts'
export type { Person } from './input/person.ts'
export type { StateRecord, StateValue } from './documents/evaluation.ts'

export interface PhoneOptions {
  readonly serial?: string
  readonly product?: string
  readonly model?: string
  readonly device?: string
  readonly features?: readonly string[]
  /** Folders with additional apps. An app replaces a shipped app of the same package. */
  readonly appsDirs?: readonly string[]
  /** False: do not install the shipped apps. Default true. */
  readonly shippedApps?: boolean
  readonly clock?: PhoneClock
  readonly latency?: LatencyName | LatencyProfile
  /** Seed of the generator that picks delays inside a latency range. */
  readonly seed?: number
  readonly locale?: string
  /** Installs the input method that receives text by broadcast. Default false. */
  readonly adbKeyboard?: boolean
  /** Largest values of the touch panel's axes. On most phones they differ from the screen size. */
  readonly touchAxisMax?: { readonly x: number; readonly y: number }
  readonly props?: Readonly<Record<string, string>>
  /** Adds the attribute `hint` to dumps, as newer versions of Android do. Default false. */
  readonly dumpHints?: boolean
  /** How pictures are drawn. `bitmap` needs no native library and is used where there is none. Default `material`. */
  readonly drawing?: 'material' | 'bitmap'
}

/** A visible view, read directly from the model, without a dump. */
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

/** The simulated phone: the host of an adb endpoint, plus inspection and control for tests. */
export interface Phone extends PhoneHost {
  /** Faults of the app documents that were skipped. */
  readonly documentReports: readonly DocumentReport[]
  readonly faults: PhoneFaults
  readonly person: Person
  state(packageName: string): AppState
  /** Overwrites the given keys of the app's `saved` and `memory` state. */
  setState(packageName: string, change: { saved?: StateRecord; memory?: StateRecord }): void
  /** Stops the app and restores its initial `saved` state. */
  resetApp(packageName: string): void
  foreground(): PhoneForeground | undefined
  screenNodes(): readonly ScreenNode[]
  /** Number of touches since the start, by the person and by commands. */
  touches(): number
  /** Texts of the toasts on the screen. */
  toasts(): readonly string[]
  /** Opens a dialog of an app by name on the app's top screen. */
  showDialog(packageName: string, dialog: string, args?: StateRecord): void
  /** Opens a system dialog above all windows. */
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
    latency: resolveLatency(options.latency ?? 'fast'),
    seed: options.seed ?? 1,
    locale: options.locale ?? 'en-US',
    documents: catalog.documents,
    adbKeyboard: options.adbKeyboard ?? false,
    touchAxisMax: options.touchAxisMax ?? { x: 32_767, y: 32_767 },
    props: options.props ?? {},
    dumpHints: options.dumpHints ?? false,
    drawing: options.drawing ?? 'material',
  })
  goHome(device)
  const programs = createPrograms()
  return {
    serial: device.serial,
    banner,
    features: options.features ?? FEATURES,
    files: device.files,
    reversed: device.reversed,
    listener: (port) => device.listeners.get(port),
    run: (command, io) => runShell({ device, programs }, command, io),
    documentReports: catalog.reports,
    faults: device.faults,
    person: createPerson(device),
    ...createInspection(device),
    ...createControl(device),
  }
}

function resolveLatency(latency: LatencyName | LatencyProfile): LatencyProfile {
  return typeof latency === 'string' ? LATENCY_PROFILES[latency] : latency
}

type Inspection = Pick<Phone, 'state' | 'foreground' | 'screenNodes' | 'touches' | 'toasts' | 'locale'>

function createInspection(device: Device): Inspection {
  return {
    state: (packageName) => {
      runDueTimers(device)
      const app = requireApp(device, packageName)
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
      runDueTimers(device)
      const nowMs = device.clock.now()
      return device.toasts.filter((toast) => toast.untilMs > nowMs).map((toast) => toast.text)
    },
    locale: () => device.locale,
  }
}

function describeForeground(device: Device): PhoneForeground | undefined {
  const window = activeWindow(device)
  const front = findForeground(device)
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
  const { clickable, enabled, checked, focused, selected, visibleBounds } = view
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
    bounds: visibleBounds,
  }
}

type Control = Omit<Phone, keyof PhoneHost | keyof Inspection | 'documentReports' | 'faults' | 'person'>

function createControl(device: Device): Control {
  return {
    setState: (packageName, change) => {
      const app = requireApp(device, packageName)
      merge(app.saved, change.saved)
      if (app.process !== undefined) merge(app.process.memory, change.memory)
    },
    resetApp: (packageName) => clearApp(device, requireApp(device, packageName)),
    showDialog: (packageName, name, args = {}) => {
      const app = requireApp(device, packageName)
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
          anchor: device.lastTouch,
        },
      })
    },
    setLocale: (locale) => setLocale(device, locale),
    setBattery: (level, charging) => {
      device.battery = { level, charging }
    },
    setLatency: (latency) => {
      device.latency = resolveLatency(latency)
    },
    setScreen: (state) => {
      setAwake(device, state !== 'off')
      device.power.locked = state === 'locked' || (state === 'off' && device.power.locked)
    },
  }
}

function requireApp(device: Device, packageName: string) {
  const app = device.apps.get(packageName)
  if (app === undefined) throw new Error(`no app ${packageName} is installed on the phone`)
  return app
}

function merge(target: StateRecord, change: StateRecord | undefined): void {
  for (const [key, value] of Object.entries(change ?? {})) {
    target[key] = structuredClone<StateValue>(value)
  }
}
