import { createFaults } from '../host/faults.ts'
import { createFileTree } from '../host/file-tree.ts'
import { createDelayPicker } from '../host/latency.ts'
import { readAppDocument, type AppDocument } from '../documents/app-document.ts'
import { createModelClock, type PhoneClock } from '../host/clock.ts'
import type { LatencyProfile } from '../host/latency.ts'
import { createApp, createProcess, type App } from './app.ts'
import type { DialHost, PortListener } from '../host/host.ts'
import { type Device, type Keyboard, readRotation, type RunningInstrumentation, type Screen } from './device.ts'
import { ADB_KEYBOARD, BUILT_IN_KEYBOARD } from './keyboard.ts'
import { createPackageSettings } from './package-settings.ts'
import { createProcessTable } from './process-table.ts'
import { createSystemLog } from './system-log.ts'
import { createTouchPanel } from './touch-panel.ts'

export interface DeviceOptions {
  readonly serial: string
  readonly product: string
  readonly model: string
  readonly codename: string
  readonly clock: PhoneClock
  readonly latency: LatencyProfile
  readonly seed: number
  readonly locale: string
  readonly documents: readonly AppDocument[]
  readonly adbKeyboard: boolean
  readonly touchAxisMax: { readonly x: number; readonly y: number }
  readonly props: Readonly<Record<string, string>>
  readonly dumpHints: boolean
  readonly drawing: 'material' | 'bitmap'
}

const UPTIME_AT_START_MS = 3_600_000
const UPRIGHT: Screen = { width: 1080, height: 2400, density: 420 }
const SIDEWAYS: Screen = { ...UPRIGHT, width: UPRIGHT.height, height: UPRIGHT.width }

/** Creates a phone that booted one hour ago and is awake and unlocked. */
export function createDevice(options: DeviceOptions): Device {
  const clock = createModelClock(options.clock)
  const startMs = clock.now()
  const bootedAtMs = startMs - UPTIME_AT_START_MS
  const apps = new Map<string, App>()
  for (const [index, document] of options.documents.entries()) {
    apps.set(document.package, createApp(document, 10_100 + index, startMs))
  }
  const settings = buildDefaultSettings(options.locale)
  return {
    serial: options.serial,
    get screen() {
      return readRotation({ settings }) % 2 === 0 ? UPRIGHT : SIDEWAYS
    },
    naturalScreen: UPRIGHT,
    clock,
    bootedAtMs,
    files: createFileTree(() => clock.now(), createLiveFiles(clock, bootedAtMs)),
    faults: createFaults(),
    log: createSystemLog(clock),
    panel: createTouchPanel(options.touchAxisMax),
    props: new Map(Object.entries({ ...buildProperties(options), ...options.props })),
    settings,
    apps,
    latency: options.latency,
    pickDelay: createDelayPicker(options.seed),
    locale: options.locale,
    battery: { level: 84, charging: true },
    power: { awake: true, locked: false },
    tasks: [],
    systemDialogs: [],
    systemApp: systemApp(startMs),
    notifications: [],
    shade: undefined,
    lastTouch: { x: 0, y: 0 },
    ripple: undefined,
    drawing: options.drawing,
    focus: undefined,
    keyboard: createKeyboard(options),
    clipboard: '',
    toasts: [],
    touches: 0,
    dumpHints: options.dumpHints,
    dumping: false,
    ...createPrograms(),
    lastId: 0,
  }
}

/** What programs of the phone leave behind. */
function createPrograms() {
  return {
    processes: createProcessTable(),
    packageSettings: createPackageSettings(),
    reversed: new Map<string, DialHost>(),
    listeners: new Map<number, PortListener>(),
    instrumentations: new Map<string, RunningInstrumentation>(),
  }
}

const createKeyboard = ({ adbKeyboard }: DeviceOptions): Keyboard => ({
  installed: adbKeyboard ? [BUILT_IN_KEYBOARD, ADB_KEYBOARD] : [BUILT_IN_KEYBOARD],
  enabled: new Set(adbKeyboard ? [BUILT_IN_KEYBOARD, ADB_KEYBOARD] : [BUILT_IN_KEYBOARD]),
  current: BUILT_IN_KEYBOARD,
  page: 'letters',
  hidden: true,
})

function createLiveFiles(clock: PhoneClock, bootedAtMs: number): Readonly<Record<string, () => string>> {
  const bootId = bootedAtMs.toString(16).padStart(32, '0')
  const formatted = bootId.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return {
    '/dev/null': () => '',
    '/proc/cpuinfo': () => 'processor\t: 0\nBogoMIPS\t: 38.40\nHardware\t: simulated\n',
    '/proc/meminfo': () => 'MemTotal:        7836836 kB\nMemFree:         2716792 kB\nMemAvailable:    4802148 kB\n',
    '/proc/net/unix': () => 'Num       RefCount Protocol Flags    Type St Inode Path\n',
    '/proc/uptime': () => `${((clock.now() - bootedAtMs) / 1000).toFixed(2)} 0.00\n`,
    '/proc/sys/kernel/random/boot_id': () => `${formatted}\n`,
    '/proc/version': () => 'Linux version 6.1.75-apprentice (simulated)\n',
  }
}

function buildProperties(options: DeviceOptions): Readonly<Record<string, string>> {
  return {
    'ro.product.name': options.product,
    'ro.product.model': options.model,
    'ro.product.device': options.codename,
    'ro.product.brand': 'Apprentice',
    'ro.product.manufacturer': 'Apprentice',
    'ro.product.cpu.abi': 'arm64-v8a',
    'ro.serialno': options.serial,
    'ro.build.version.release': '14',
    'ro.build.version.sdk': '34',
    'ro.build.version.security_patch': '2024-08-05',
    'ro.build.display.id': 'SIM1.240805.001',
    'ro.build.fingerprint': `Apprentice/${options.product}/${options.codename}:14/SIM1.240805.001/1:user/release-keys`,
    'ro.build.type': 'user',
    'ro.kernel.version': '6.1',
    'ro.boot.qemu': '0',
    'ro.apprentice.simulated': '1',
    'ro.sf.lcd_density': '420',
    'sys.boot_completed': '1',
    'dev.bootcomplete': '1',
    'init.svc.bootanim': 'stopped',
    'ro.build.characteristics': 'default',
    'ro.build.tags': 'release-keys',
    'ro.build.version.codename': 'REL',
    'ro.debuggable': '0',
    'ro.secure': '1',
    'ro.product.cpu.abilist': 'arm64-v8a',
    'ro.hardware': 'simulated',
    'persist.sys.locale': options.locale,
    'ro.product.locale': 'en-US',
    'persist.sys.timezone': 'Etc/UTC',
  }
}

function buildDefaultSettings(locale: string): Device['settings'] {
  return {
    system: {
      screen_brightness: '102',
      screen_brightness_mode: '0',
      screen_off_timeout: '60000',
      accelerometer_rotation: '0',
      user_rotation: '0',
      font_scale: '1.0',
      system_locales: locale,
    },
    secure: {
      default_input_method: BUILT_IN_KEYBOARD,
      navigation_mode: '0',
      accessibility_enabled: '0',
    },
    global: {
      window_animation_scale: '1.0',
      transition_animation_scale: '1.0',
      animator_duration_scale: '1.0',
      airplane_mode_on: '0',
      wifi_on: '1',
      bluetooth_on: '1',
      mobile_data: '1',
      nfc_on: '0',
      adb_enabled: '1',
      development_settings_enabled: '1',
      device_name: 'Apprentice phone',
    },
  }
}

/** The app that owns system dialogs. */
function systemApp(nowMs: number): App {
  const reading = readAppDocument({
    package: 'android',
    label: 'Android System',
    kind: 'system',
    version: { name: '14', code: 34 },
    launch_screen: 'none',
    screens: { none: { content: [] } },
  })
  if (!reading.ok) throw new Error('the document of the system app is invalid')
  const app = createApp(reading.document, 1000, nowMs)
  app.process = createProcess(reading.document, 1200)
  return app
}
