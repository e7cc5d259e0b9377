import { createHash } from 'node:crypto'
import { startBudget } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { buildCommand } from '../adb/quoting.ts'
import { restoreNotedKeyboard } from '../driver/input-method.ts'
import { runChecked } from '../shell/checked-command.ts'
import type { DeviceAddress } from '../shell/command-stream.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { HelperFailure } from './helper-failure.ts'
import { HelperSession } from './helper-session.ts'
import { HELPER_VERSION, PINNED_HELPERS, PREPARED_SETTING } from '../driver/pinned-helpers.ts'
import type { PinnedHelper } from '../driver/pinned-helpers.ts'
import { readHelperState } from './preparation-marks.ts'
import type { HelperState } from './preparation-marks.ts'
import { installApk } from './streamed-install.ts'

export interface PreparedDevice {
  readonly runner: CommandRunner
  readonly device: DeviceAddress
  /** Default: those of the pinned version. */
  readonly helpers?: readonly PinnedHelper[]
}

/**
 * Installs the helpers, tries the snapshot helper, and marks the phone as prepared. Every APK must have the hash of a
 * pinned helper. A helper that is not among them is left as it is.
 */
export async function prepareDevice(
  { runner, device, helpers = PINNED_HELPERS }: PreparedDevice,
  apks: readonly Buffer[],
  limits: CallLimits,
): Promise<HelperState> {
  const chosen = apks.map((apk) => ({ apk, helper: findHelper(helpers, apk) }))
  const budget = startBudget(limits)
  for (const { apk, helper } of chosen) await install({ runner, device }, { apk, helper }, budget.remainingLimits())
  if (chosen.some(({ helper }) => helper.name === 'snapshot')) await trySnapshot(device, budget.remainingLimits())
  const mark = buildCommand('settings', 'put', 'global', PREPARED_SETTING, HELPER_VERSION)
  await runChecked(runner, mark, budget.remainingLimits())
  return readHelperState(runner, budget.remainingLimits())
}

/** Removes the helpers and the mark, and selects the keyboard that was selected before. */
export async function unprepareDevice({ runner }: PreparedDevice, limits: CallLimits): Promise<HelperState> {
  const budget = startBudget(limits)
  await restoreNotedKeyboard(runner, budget.remainingLimits())
  const { installed } = await readHelperState(runner, budget.remainingLimits())
  for (const { name, packageName } of PINNED_HELPERS) {
    if (installed[name] === undefined) continue
    await runChecked(runner, buildCommand('pm', 'uninstall', packageName), budget.remainingLimits())
  }
  await runChecked(runner, buildCommand('settings', 'delete', 'global', PREPARED_SETTING), budget.remainingLimits())
  return readHelperState(runner, budget.remainingLimits())
}

export function computeApkHash(apk: Buffer): string {
  return createHash('sha256').update(apk).digest('hex')
}

function findHelper(helpers: readonly PinnedHelper[], apk: Buffer): PinnedHelper {
  const hash = computeApkHash(apk)
  const helper = helpers.find(({ sha256 }) => sha256 === hash)
  if (helper !== undefined) return helper
  throw new OperationFailure('INVALID_ARGUMENT', `no helper of version ${HELPER_VERSION} has the SHA-256 ${hash}`, hash)
}

interface Installation {
  readonly apk: Buffer
  readonly helper: PinnedHelper
}

async function install({ runner, device }: PreparedDevice, { apk, helper }: Installation, limits: CallLimits) {
  const budget = startBudget(limits)
  await installApk(device, apk, budget.remainingLimits())
  const { installed } = await readHelperState(runner, budget.remainingLimits())
  if (installed[helper.name] === helper.versionCode) return
  throw new OperationFailure('INSTALL_FAILED', `${helper.packageName} is not there after its installation`)
}

const STOP_TIMEOUT_MS = 2000

async function trySnapshot(device: DeviceAddress, limits: CallLimits): Promise<void> {
  try {
    await readOnce(device, limits)
  } catch (error) {
    if (!(error instanceof HelperFailure)) throw error
    throw new OperationFailure('INSTALL_FAILED', `the snapshot helper does not work here: ${error.message}`, error.kind)
  }
}

async function readOnce(device: DeviceAddress, limits: CallLimits): Promise<void> {
  const budget = startBudget(limits)
  const session = await HelperSession.start(device, budget.remainingLimits())
  try {
    await session.ask('snapshot', budget.remainingLimits())
  } finally {
    await session.stop({ timeoutMs: STOP_TIMEOUT_MS })
  }
}
