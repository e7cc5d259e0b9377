import { pause, startBudget } from '../adb/call-limits.ts'
import type { CallLimits } from '../adb/call-limits.ts'
import type { CommandRunner } from '../shell/device-shell.ts'
import { KEYBOARD_HELPER } from './pinned-helpers.ts'
import { OperationFailure } from '../adb/operation-failure.ts'
import { buildCommand } from '../adb/quoting.ts'
import { runChecked } from '../shell/checked-command.ts'

/** An input method that types what it receives by broadcast. */
export interface BroadcastKeyboard {
  readonly id: string
  /** The broadcast with a text in base64. */
  readonly broadcast: (encoded: string) => readonly string[]
}

const HELPER_PACKAGE = KEYBOARD_HELPER.packageName

const TEXT_PROTOCOL = ['--es', 'protocol', 'android-ime-helper-v1']

/** In order of preference. */
const BROADCAST_KEYBOARDS: readonly BroadcastKeyboard[] = [
  {
    id: KEYBOARD_HELPER.component,
    broadcast: (encoded) => [
      '-p',
      HELPER_PACKAGE,
      '-a',
      `${HELPER_PACKAGE}.ACTION_INPUT_TEXT_B64`,
      ...TEXT_PROTOCOL,
      '--es',
      'text',
      encoded,
    ],
  },
  {
    id: 'com.android.adbkeyboard/.AdbIME',
    broadcast: (encoded) => ['-a', 'ADB_INPUT_B64', '--es', 'msg', encoded],
  },
]

/** Finds an installed keyboard that types the text it receives by broadcast. */
export async function findBroadcastKeyboard(
  runner: CommandRunner,
  limits: CallLimits,
): Promise<BroadcastKeyboard | undefined> {
  const { stdout } = await runChecked(runner, buildCommand('ime', 'list', '-a', '-s'), limits)
  const installed = new Set(stdout.toString('utf8').split(/\s+/))
  return BROADCAST_KEYBOARDS.find(({ id }) => installed.has(id))
}

/**
 * Types any text through such a keyboard. The previous keyboard is always restored; a part of the time
 * limit is reserved for that. A note on the phone says which one it was, should this process end before.
 */
export async function typeByBroadcast(
  runner: CommandRunner,
  keyboard: BroadcastKeyboard,
  text: string,
  limits: CallLimits,
): Promise<void> {
  const budget = startBudget({ ...limits, timeoutMs: limits.timeoutMs - computeRestoreMs(limits) })
  const previous = await readPreviousKeyboard(runner, budget.remainingLimits())
  try {
    await switchKeyboard(runner, { keyboard, previous }, budget.remainingLimits())
    // The new keyboard accepts broadcasts only once it is bound to the field.
    await pause(Math.min(SETTLE_MS, budget.remainingMs()), limits.signal)
    await sendText(runner, keyboard.broadcast(Buffer.from(text, 'utf8').toString('base64')), budget.remainingLimits())
  } finally {
    if (previous !== keyboard.id) await restoreKeyboard(runner, previous, computeRestoreMs(limits))
  }
}

/** Selects the keyboard of the note on the phone again, if there is one. Do not call it while a text is typed. */
export async function restoreNotedKeyboard(runner: CommandRunner, limits: CallLimits): Promise<boolean> {
  const { noted } = await readKeyboards(runner, limits)
  if (noted === undefined) return false
  await runChecked(runner, buildRestoring(noted), limits)
  return true
}

const SETTLE_MS = 300
/** The setting of a phone that names the keyboard to be restored. */
export const KEYBOARD_NOTE = 'apprentice_previous_keyboard'

function computeRestoreMs({ timeoutMs }: CallLimits): number {
  return Math.min(2000, timeoutMs / 4)
}

async function readPreviousKeyboard(runner: CommandRunner, limits: CallLimits): Promise<string> {
  const { current, noted, text } = await readKeyboards(runner, limits)
  // A process that ended while it typed has left its keyboard selected.
  const previous = BROADCAST_KEYBOARDS.some(({ id }) => id === current) ? (noted ?? current) : current
  if (previous !== undefined) return previous
  throw new OperationFailure(
    'TEXT_UNSUPPORTED',
    'the current keyboard is unknown and could not be restored; nothing was typed',
    text,
  )
}

async function readKeyboards(runner: CommandRunner, limits: CallLimits) {
  const line = ['default_input_method', KEYBOARD_NOTE]
    .map((name) => buildCommand('settings', 'get', 'secure', name))
    .join('; ')
  const text = (await runChecked(runner, line, limits)).stdout.toString('utf8')
  const [current, noted] = text.split('\n').map((name) => KEYBOARD_ID.exec(name.trim())?.[0])
  return { current, noted, text: text.trim() }
}

const KEYBOARD_ID = /^[\w.]+\/[\w.$]+$/

interface Switch {
  readonly keyboard: BroadcastKeyboard
  readonly previous: string
}

/** A keyboard that cannot be selected has typed nothing. */
async function switchKeyboard(runner: CommandRunner, { keyboard, previous }: Switch, limits: CallLimits) {
  const line = [
    buildCommand('settings', 'put', 'secure', KEYBOARD_NOTE, previous),
    buildCommand('ime', 'enable', keyboard.id),
    buildCommand('ime', 'set', keyboard.id),
  ].join(' && ')
  try {
    await runChecked(runner, line, limits)
  } catch (error) {
    if (!(error instanceof OperationFailure)) throw error
    const message = `the phone refuses to select the keyboard ${keyboard.id}; nothing was typed`
    throw new OperationFailure('TEXT_UNSUPPORTED', message, error.detail)
  }
}

async function sendText(runner: CommandRunner, broadcast: readonly string[], limits: CallLimits): Promise<void> {
  const { stdout } = await runChecked(runner, buildCommand('am', 'broadcast', ...broadcast), limits)
  if (/Broadcast completed/.test(stdout.toString('utf8'))) return
  throw new OperationFailure('COMMAND_FAILED', 'the keyboard did not accept the text')
}

function buildRestoring(keyboard: string): string {
  return `${buildCommand('ime', 'set', keyboard)} && ${buildCommand('settings', 'delete', 'secure', KEYBOARD_NOTE)}`
}

/** Independent of the signal of the caller: an aborted call must also restore the keyboard. */
async function restoreKeyboard(runner: CommandRunner, keyboard: string, timeoutMs: number): Promise<void> {
  await runner.run(buildRestoring(keyboard), { timeoutMs }).catch(() => {
    // The original failure or the next command reports that the device is gone. The note stays on the phone.
  })
}
