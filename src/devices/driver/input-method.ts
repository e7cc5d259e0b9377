import { pause, startBudget } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { buildCommand } from '../adb/quoting.ts'
import { runChecked } from '../shell/checked-command.ts'

/** Input methods that accept text by broadcast, in order of preference. */
const BROADCAST_KEYBOARDS = ['com.android.adbkeyboard/.AdbIME']

/** Finds an installed keyboard that types the text it receives by broadcast. */
export async function findBroadcastKeyboard(runner: CommandRunner, limits: CallLimits): Promise<string | undefined> {
  const { stdout } = await runChecked(runner, buildCommand('ime', 'list', '-a', '-s'), limits)
  const installed = new Set(stdout.toString('utf8').split(/\s+/))
  return BROADCAST_KEYBOARDS.find((id) => installed.has(id))
}

/**
 * Types any text through such a keyboard. The previous keyboard is always restored; a part of the time
 * limit is reserved for that.
 */
export async function typeByBroadcast(
  runner: CommandRunner,
  keyboard: string,
  text: string,
  limits: CallLimits,
): Promise<void> {
  const budget = startBudget({ ...limits, timeoutMs: limits.timeoutMs - computeRestoreMs(limits) })
  const previous = await readCurrentKeyboard(runner, budget.remainingLimits())
  try {
    await switchKeyboard(runner, keyboard, budget.remainingLimits())
    // The new keyboard accepts broadcasts only once it is bound to the field.
    await pause(Math.min(SETTLE_MS, budget.remainingMs()), limits.signal)
    await sendText(runner, text, budget.remainingLimits())
  } finally {
    if (previous !== keyboard) await restoreKeyboard(runner, previous, computeRestoreMs(limits))
  }
}

const SETTLE_MS = 300

function computeRestoreMs({ timeoutMs }: CallLimits): number {
  return Math.min(2000, timeoutMs / 4)
}

async function readCurrentKeyboard(runner: CommandRunner, limits: CallLimits): Promise<string> {
  const line = buildCommand('settings', 'get', 'secure', 'default_input_method')
  const current = (await runChecked(runner, line, limits)).stdout.toString('utf8').trim()
  if (/^[\w.]+\/[\w.$]+$/.test(current)) return current
  throw new OperationFailure(
    'TEXT_UNSUPPORTED',
    'the current keyboard is unknown and could not be restored; nothing was typed',
    current,
  )
}

async function switchKeyboard(runner: CommandRunner, keyboard: string, limits: CallLimits) {
  const line = `${buildCommand('ime', 'enable', keyboard)} && ${buildCommand('ime', 'set', keyboard)}`
  await runChecked(runner, line, limits)
}

async function sendText(runner: CommandRunner, text: string, limits: CallLimits): Promise<void> {
  const encoded = Buffer.from(text, 'utf8').toString('base64')
  const line = buildCommand('am', 'broadcast', '-a', 'ADB_INPUT_B64', '--es', 'msg', encoded)
  const { stdout } = await runChecked(runner, line, limits)
  if (/Broadcast completed/.test(stdout.toString('utf8'))) return
  throw new OperationFailure('COMMAND_FAILED', 'the keyboard did not accept the text')
}

/** Independent of the signal of the caller: an aborted call must also restore the keyboard. */
async function restoreKeyboard(runner: CommandRunner, keyboard: string, timeoutMs: number): Promise<void> {
  await runner.run(buildCommand('ime', 'set', keyboard), { timeoutMs }).catch(() => {
    // The original failure or the next command reports that the device is gone.
  })
}
