import { applyGesture, type Gesture } from '../input/gestures.ts'
import { pressKey } from '../input/key-press.ts'
import { parseKeyName, findKeyStroke } from '../model/keys.ts'
import { insertText } from '../input/text-entry.ts'
import { printError, print, type Call } from '../shell/command.ts'

/** `input`: injects taps, swipes, text and keys. Each call takes `latency.inputMs`. */
export async function input(call: Call): Promise<number> {
  let args = [...call.args]
  if (args[0] !== undefined && SOURCES.has(args[0])) args = args.slice(1)
  if (args[0] === '-d') args = args.slice(2)
  const [verb, ...rest] = args
  if (verb === undefined) {
    print(call, 'Usage: input [<source>] [-d DISPLAY_ID] <command> [<arg>...]\n')
    return 255
  }
  const command = COMMANDS.get(verb)
  if (command === undefined) {
    print(call, `Unknown command: ${verb}\n`)
    return 255
  }
  await call.device.clock.sleep(call.device.latency.inputMs, call.signal)
  if (call.signal.aborted) return 129
  try {
    await command(call, rest)
    return 0
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    printError(call, `\nException occurred while executing '${verb}':\n${error.message}\n${STACK_TRACE}`)
    return 255
  }
}

const SOURCES = new Set(
  'dpad keyboard mouse touchpad gamepad touchnavigation joystick touchscreen stylus trackball'.split(' '),
)

/** A Java exception. The message starts with its class name. */
class InputError extends Error {}

const STACK_TRACE =
  '\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:232)\n' +
  '\tat com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)\n' +
  '\tat android.os.ShellCommand.exec(ShellCommand.java:38)\n'

type InputCommand = (call: Call, args: readonly string[]) => void | Promise<void>

const COMMANDS = new Map<string, InputCommand>([
  ['tap', tap],
  ['swipe', (call, args) => swipe(call, args, 300)],
  ['draganddrop', (call, args) => swipe(call, args, 300, true)],
  ['text', text],
  ['keyevent', keyevent],
  ['keycombination', keycombination],
  ['motionevent', motionevent],
  ['press', () => undefined],
  ['roll', () => undefined],
])

function tap(call: Call, args: readonly string[]): void {
  const [x, y] = [parseDecimal(args[0], 'tap'), parseDecimal(args[1], 'tap')]
  applyGesture(call.device, { x1: x, y1: y, x2: x, y2: y, durationMs: 0 })
}

async function swipe(call: Call, args: readonly string[], defaultMs: number, held = false): Promise<void> {
  const [x1, y1, x2, y2] = [0, 1, 2, 3].map((index) => parseDecimal(args[index], 'swipe'))
  const durationMs = args[4] === undefined ? defaultMs : parseInteger(args[4])
  await call.device.clock.sleep(call.device.latency.inputMs === 0 ? 0 : durationMs, call.signal)
  applyGesture(call.device, { x1, y1, x2, y2, durationMs, held } as Gesture)
}

/**
 * Types text. `%s` is a space and cannot be escaped. If the virtual key map lacks one character, the
 * call fails and types nothing. Line ends and tabs are dropped.
 */
function text(call: Call, args: readonly string[]): void {
  const typed = unescapeSpaces(requireArg(args[0], 'text')).replaceAll(/[\n\r\t]/g, '')
  if (Array.from(typed).some((char) => findKeyStroke(char) === undefined)) {
    throw new InputError(
      'java.lang.NullPointerException: Attempt to get length of null array\n' +
        '\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:319)\n' +
        '\tat com.android.server.input.InputShellCommand.runText(InputShellCommand.java:291)',
    )
  }
  insertText(call.device, typed)
}

function unescapeSpaces(arg: string): string {
  const result: string[] = []
  let afterPercent = false
  for (const char of arg) {
    if (afterPercent && char === 's') {
      result[result.length - 1] = ' '
      afterPercent = false
      continue
    }
    result.push(char)
    afterPercent = char === '%'
  }
  return result.join('')
}

function keyevent(call: Call, args: readonly string[]): void {
  const keys = args.filter((arg) => !arg.startsWith('--'))
  requireArg(keys[0], 'keyevent')
  for (const arg of keys) {
    const key = parseKeyName(arg)
    pressKey(call.device, { key })
  }
}

/** Presses the last key while the others are held. */
function keycombination(call: Call, args: readonly string[]): void {
  const keyArgs = args[0] === '-t' ? args.slice(2) : args
  if (keyArgs.length < 2) {
    throw new InputError('java.lang.IllegalArgumentException: keycombination requires at least 2 keycodes')
  }
  const keys = keyArgs.map(parseKeyName)
  const held = keys.slice(0, -1)
  pressKey(call.device, {
    key: keys.at(-1) ?? 'UNKNOWN',
    ctrl: held.some((key) => key.startsWith('CTRL')),
    shift: held.some((key) => key.startsWith('SHIFT')),
  })
}

const pressedFingers = new WeakMap<
  Call['device'],
  { readonly x: number; readonly y: number; readonly sinceMs: number }
>()

function motionevent(call: Call, args: readonly string[]): void {
  const kind = requireArg(args[0], 'motionevent').toUpperCase()
  const { device } = call
  if (kind === 'CANCEL') {
    pressedFingers.delete(device)
    return
  }
  const [x, y] = [parseDecimal(args[1], 'motionevent'), parseDecimal(args[2], 'motionevent')]
  if (kind === 'DOWN') pressedFingers.set(device, { x, y, sinceMs: device.clock.now() })
  const start = pressedFingers.get(device)
  if (kind !== 'UP' || start === undefined) return
  pressedFingers.delete(device)
  const durationMs = device.clock.now() - start.sinceMs
  applyGesture(device, { x1: start.x, y1: start.y, x2: x, y2: y, durationMs })
}

function requireArg(arg: string | undefined, after: string): string {
  if (arg !== undefined) return arg
  throw new InputError(`java.lang.IllegalArgumentException: Argument expected after "${after}"`)
}

function parseDecimal(arg: string | undefined, after: string): number {
  const given = requireArg(arg, after)
  if (/^[-+]?(\d+(?:\.\d*)?|\.\d+)$/.test(given)) return Number(given)
  throw new InputError(`java.lang.NumberFormatException: For input string: "${given}"`)
}

function parseInteger(arg: string): number {
  if (/^[-+]?\d+$/.test(arg)) return Number(arg)
  throw new InputError(`java.lang.NumberFormatException: For input string: "${arg}"`)
}
