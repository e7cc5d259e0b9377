import type { CallLimits } from '../adb/call-limits.ts'
import { createNonce } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import * as read from './fact-parsers.ts'
import { FOREGROUND_COMMAND, parseForeground } from './foreground.ts'
import type { Foreground } from './foreground.ts'
import { KEYBOARD_NOTE } from './input-method.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { PREPARED_SETTING } from './pinned-helpers.ts'

/** The facts a device reports. `undefined` means that it did not report the fact. */
export interface DeviceFacts {
  readonly model: string | undefined
  readonly manufacturer: string | undefined
  readonly sdk: number | undefined
  readonly androidVersion: string | undefined
  readonly isEmulator: boolean
  /** A simulated phone, whichever adb server it is connected to. */
  readonly isSimulated: boolean
  /** In the current rotation. */
  readonly size: read.Size | undefined
  readonly densityDpi: number | undefined
  readonly rotation: 0 | 1 | 2 | 3 | undefined
  readonly battery: read.Battery | undefined
  readonly awake: boolean | undefined
  readonly locked: boolean | undefined
  readonly foreground: Foreground | undefined
  readonly locale: string | undefined
  /** The version of the helpers that the device was prepared with. */
  readonly helpers: string | undefined
  /** A process ended while it typed, and left its keyboard selected. */
  readonly hasKeyboardNote: boolean
}

/** Reads all facts in one round trip. */
export async function readFacts(runner: CommandRunner, limits: CallLimits): Promise<DeviceFacts> {
  const outputs = await runCommands(runner, FACT_COMMANDS, limits)
  const rotation = read.parseRotation(outputs.display)
  const natural = read.parseSize(outputs.size)
  const isRotated = rotation === 1 || rotation === 3
  return {
    model: trimToUndefined(outputs.model),
    manufacturer: trimToUndefined(outputs.manufacturer),
    sdk: Number.parseInt(outputs.sdk, 10) || undefined,
    androidVersion: trimToUndefined(outputs.release),
    isSimulated: outputs.simulated.trim() === '1',
    isEmulator: /^emulator-\d+$/.test(runner.serial) || outputs.qemu.includes('1'),
    size: natural && isRotated ? { width: natural.height, height: natural.width } : natural,
    densityDpi: read.parseDensity(outputs.density),
    rotation,
    battery: read.parseBattery(outputs.battery),
    awake: read.parseAwake(outputs.power),
    locked: read.parseLocked(outputs.keyguard),
    foreground: parseForeground(outputs.foreground),
    locale: read.parseLocale(outputs.systemLocales, outputs.persistLocale, outputs.productLocale),
    helpers: /^\d[\w.-]*$/.exec(outputs.helpers.trim())?.[0],
    hasKeyboardNote: outputs.keyboardNote.includes('/'),
  }
}

/** Reads only whether the screen is on and locked. */
export async function readAwake(
  runner: CommandRunner,
  limits: CallLimits,
): Promise<Pick<DeviceFacts, 'awake' | 'locked'>> {
  const { power, keyguard } = FACT_COMMANDS
  const outputs = await runCommands(runner, { power, keyguard }, limits)
  return { awake: read.parseAwake(outputs.power), locked: read.parseLocked(outputs.keyguard) }
}

const FACT_COMMANDS = {
  model: 'getprop ro.product.model',
  manufacturer: 'getprop ro.product.manufacturer',
  sdk: 'getprop ro.build.version.sdk',
  release: 'getprop ro.build.version.release',
  qemu: 'getprop ro.boot.qemu; getprop ro.kernel.qemu',
  simulated: 'getprop ro.apprentice.simulated',
  size: 'wm size',
  density: 'wm density',
  display: "dumpsys display | grep -E 'mCurrentOrientation=|DisplayInfo='",
  battery: 'dumpsys battery',
  power: "dumpsys power | grep -E 'mWakefulness=|Display Power|mScreenOn='",
  keyguard: "dumpsys window policy | grep -iE 'lockscreen|keyguard|showing='",
  foreground: FOREGROUND_COMMAND,
  systemLocales: 'settings get system system_locales',
  persistLocale: 'getprop persist.sys.locale',
  productLocale: 'getprop ro.product.locale',
  helpers: `settings get global ${PREPARED_SETTING}`,
  keyboardNote: `settings get secure ${KEYBOARD_NOTE}`,
} as const

/** Runs several commands in one line. A random line separates their outputs. */
async function runCommands<Name extends string>(
  runner: CommandRunner,
  commands: Readonly<Record<Name, string>>,
  limits: CallLimits,
): Promise<Record<Name, string>> {
  const nonce = createNonce()
  const names = Object.keys(commands) as Name[]
  const line = names.map((name) => `${commands[name]}; echo ${nonce}`).join('; ')
  const { stdout } = await runner.run(line, limits)
  const parts = stdout.toString('utf8').split(`${nonce}\n`)
  if (parts.length !== names.length + 1) {
    throw new OperationFailure('FACTS_UNREADABLE', 'the device answered only some of the commands')
  }
  return Object.fromEntries(names.map((name, at) => [name, parts[at] ?? ''])) as Record<Name, string>
}

function trimToUndefined(text: string): string | undefined {
  return text.trim() || undefined
}
