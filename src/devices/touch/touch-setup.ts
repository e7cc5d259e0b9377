import type { ServerAddress } from '../adb/adb-socket.ts'
import { type CallLimits, startBudget } from '../adb/call-limits.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import type { Driver } from '../driver/driver.ts'
import { findTouchPanel, parseInputDevices, type TouchPanel } from './input-devices.ts'
import type { Navigation } from './navigation.ts'
import type { Display } from './person-input.ts'
import { RecordingFailure } from '../recording/recording-failure.ts'

/** A phone and the connections that the touch recorder uses. */
export interface TouchDevice {
  readonly driver: Driver
  readonly shell: CommandRunner & {
    features(limits: CallLimits): Promise<ReadonlySet<string>>
  }
  readonly server: ServerAddress
}

/** Properties of a phone that are needed to interpret touches. */
export interface TouchSetup {
  readonly panel: TouchPanel
  readonly display: Display
  readonly navigation: Navigation
  readonly homePackage: string | undefined
  readonly shellV2: boolean
}

export async function readTouchSetup({ driver, shell }: TouchDevice, limits: CallLimits): Promise<TouchSetup> {
  const budget = startBudget(limits)
  const runCommand = async (line: string) => (await shell.run(line, budget.remainingLimits())).stdout.toString('utf8')
  const shellV2 = (await shell.features(budget.remainingLimits())).has('shell_v2')
  const panel = findTouchPanel(parseInputDevices(await runCommand('getevent -lp')))
  if (panel === undefined) throw startFailure('The device reports no touch panel.')
  const { size, rotation = 0, densityDpi } = await driver.facts(budget.remainingLimits())
  if (size === undefined) throw startFailure('The device does not report the size of its screen.')
  const isRotated = rotation % 2 === 1
  const display = {
    width: isRotated ? size.height : size.width,
    height: isRotated ? size.width : size.height,
    rotation,
    slopPx: Math.round((SLOP_DP * (densityDpi ?? DEFAULT_DPI)) / 160),
  }
  const gestures = (await runCommand('settings get secure navigation_mode')).trim() === GESTURE_MODE
  const homePackage = parseHomePackage(await runCommand(HOME_COMMAND))
  return { panel, display, navigation: { gestures, backButton: 'left' }, homePackage, shellV2 }
}

const SLOP_DP = 8
const DEFAULT_DPI = 480
const GESTURE_MODE = '2'
const HOME_COMMAND =
  'cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME'

function parseHomePackage(text: string): string | undefined {
  return /^([A-Za-z]\w*(?:\.\w+)+)\/\S+\s*$/m.exec(text)?.[1]
}

function startFailure(message: string): RecordingFailure {
  return new RecordingFailure('RECORDING_START_FAILED', message)
}
