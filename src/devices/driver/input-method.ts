import { pause, startBudget } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { command } from '../adb/quoting.ts'
import { checked } from '../shell/checked-command.ts'

/** Input methods that take text by broadcast, in the order of preference. */
const BROADCAST_KEYBOARDS = ['com.android.adbkeyboard/.AdbIME']

/** An installed keyboard that types whatever text it is sent, if the device has one. */
export async function findBroadcastKeyboard(
  runner: CommandRunner,
  limits: CallLimits,
): Promise<string | undefined> {
  const { stdout } = await checked(runner, command('ime', 'list', '-a', '-s'), limits)
  const installed = new Set(stdout.toString('utf8').split(/\s+/))
  return BROADCAST_KEYBOARDS.find((id) => installed.has(id))
}

/**
 * Types any text through such a keyboard. The person's own keyboard is put back however it ends; a
 * part of the time limit is set aside for that.
 */
export async function typeByBroadcast(
  runner: CommandRunner,
  keyboard: string,
  text: string,
  limits: CallLimits,
): Promise<void> {
  const budget = startBudget({ ...limits, timeoutMs: limits.timeoutMs - restoreMs(limits) })
  const previous = await currentKeyboard(runner, budget.rest())
  try {
    await switchTo(runner, keyboard, budget.rest())
    // The new keyboard takes broadcasts only once it is bound to the field.
    await pause(Math.min(SETTLE_MS, budget.remainingMs()), limits.signal)
    await send(runner, text, budget.rest())
  } finally {
    if (previous !== keyboard) await putBack(runner, previous, restoreMs(limits))
  }
}

const SETTLE_MS = 300

function restoreMs({ timeoutMs }: CallLimits): number {
  return Math.min(2000, timeoutMs / 4)
}

async function currentKeyboard(runner: CommandRunner, limits: CallLimits): Promise<string> {
  const line = command('settings', 'get', 'secure', 'default_input_method')
  const current = (await checked(runner, line, limits)).stdout.toString('utf8').trim()
  if (/^[\w.]+\/[\w.$]+$/.test(current)) return current
  throw new OperationFailure(
    'TEXT_UNSUPPORTED',
    'the keyboard in use is unknown and could not be put back; nothing was typed',
    current,
  )
}

async function switchTo(runner: CommandRunner, keyboard: string, limits: CallLimits) {
  const line = `${command('ime', 'enable', keyboard)} && ${command('ime', 'set', keyboard)}`
  await checked(runner, line, limits)
}

async function send(runner: CommandRunner, text: string, limits: CallLimits): Promise<void> {
  const encoded = Buffer.from(text, 'utf8').toString('base64')
  const line = command('am', 'broadcast', '-a', 'ADB_INPUT_B64', '--es', 'msg', encoded)
  const { stdout } = await checked(runner, line, limits)
  if (/Broadcast completed/.test(stdout.toString('utf8'))) return
  throw new OperationFailure('COMMAND_FAILED', 'the keyboard did not take the text')
}

/** Independent of the caller's signal: an aborted call must not leave a foreign keyboard behind. */
async function putBack(runner: CommandRunner, keyboard: string, timeoutMs: number): Promise<void> {
  await runner.run(command('ime', 'set', keyboard), { timeoutMs }).catch(() => {
    // The failure that brought us here, or the next command, tells that the device is away.
  })
}
