import type { CallLimits } from '../adb/call-limits.ts'
import { newNonce } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import * as read from './fact-parsers.ts'
import { FOREGROUND_COMMAND, parseForeground } from './foreground.ts'
import type { Foreground } from './foreground.ts'
import { OperationFailure } from '../adb/operation-failure.ts'

/** What a device says of itself. `undefined` = it did not tell, never a guess. */
export interface DeviceFacts {
  readonly model: string | undefined
  readonly manufacturer: string | undefined
  readonly sdk: number | undefined
  readonly androidVersion: string | undefined
  readonly isEmulator: boolean
  /** A phone of our own making, whichever adb server it is reached through. */
  readonly isSimulated: boolean
  /** As the screen stands now: width and height are swapped when it is turned. */
  readonly size: read.Size | undefined
  readonly densityDpi: number | undefined
  readonly rotation: 0 | 1 | 2 | 3 | undefined
  readonly battery: read.Battery | undefined
  readonly awake: boolean | undefined
  readonly locked: boolean | undefined
  readonly foreground: Foreground | undefined
  readonly locale: string | undefined
}

/** All facts in one round trip. */
export async function readFacts(runner: CommandRunner, limits: CallLimits): Promise<DeviceFacts> {
  const told = await ask(runner, QUESTIONS, limits)
  const rotation = read.parseRotation(told.display)
  const natural = read.parseSize(told.size)
  const turned = rotation === 1 || rotation === 3
  return {
    model: word(told.model),
    manufacturer: word(told.manufacturer),
    sdk: Number.parseInt(told.sdk, 10) || undefined,
    androidVersion: word(told.release),
    isSimulated: told.simulated.trim() === '1',
    isEmulator: /^emulator-\d+$/.test(runner.serial) || told.qemu.includes('1'),
    size: natural && turned ? { width: natural.height, height: natural.width } : natural,
    densityDpi: read.parseDensity(told.density),
    rotation,
    battery: read.parseBattery(told.battery),
    awake: read.parseAwake(told.power),
    locked: read.parseLocked(told.keyguard),
    foreground: parseForeground(told.foreground),
    locale: read.parseLocale(told.systemLocales, told.persistLocale, told.productLocale),
  }
}

/** Screen on and lock, for those who need no more. */
export async function readAwake(
  runner: CommandRunner,
  limits: CallLimits,
): Promise<Pick<DeviceFacts, 'awake' | 'locked'>> {
  const { power, keyguard } = QUESTIONS
  const told = await ask(runner, { power, keyguard }, limits)
  return { awake: read.parseAwake(told.power), locked: read.parseLocked(told.keyguard) }
}

const QUESTIONS = {
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
} as const

/** Several commands in one line, their outputs told apart by a line no command prints. */
async function ask<Name extends string>(
  runner: CommandRunner,
  questions: Readonly<Record<Name, string>>,
  limits: CallLimits,
): Promise<Record<Name, string>> {
  const nonce = newNonce()
  const names = Object.keys(questions) as Name[]
  const line = names.map((name) => `${questions[name]}; echo ${nonce}`).join('; ')
  const { stdout } = await runner.run(line, limits)
  const parts = stdout.toString('utf8').split(`${nonce}\n`)
  if (parts.length !== names.length + 1) {
    throw new OperationFailure('FACTS_UNREADABLE', 'the device answered only part of the questions')
  }
  return Object.fromEntries(names.map((name, at) => [name, parts[at] ?? ''])) as Record<
    Name,
    string
  >
}

function word(text: string): string | undefined {
  return text.trim() || undefined
}
