import { performGesture, type Gesture } from '../model/gestures.ts'
import { pressKey } from '../model/key-press.ts'
import { keyNameOf, strokeOf } from '../model/keys.ts'
import { insertText } from '../model/text-entry.ts'
import { complain, print, type Call } from '../shell/command.ts'

/** `input`: one process per call, so each costs what a Java start costs. */
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
    if (!(error instanceof InputFailure)) throw error
    complain(call, `\nException occurred while executing '${verb}':\n${error.message}\n${STACK}`)
    return 255
  }
}

const SOURCES = new Set(
  'dpad keyboard mouse touchpad gamepad touchnavigation joystick touchscreen stylus trackball'.split(
    ' ',
  ),
)

/** An exception as Java names it. */
class InputFailure extends Error {}

const STACK =
  '\tat com.android.server.input.InputShellCommand.onCommand(InputShellCommand.java:232)\n' +
  '\tat com.android.modules.utils.BasicShellCommandHandler.exec(BasicShellCommandHandler.java:97)\n' +
  '\tat android.os.ShellCommand.exec(ShellCommand.java:38)\n'

type InputCommand = (call: Call, args: readonly string[]) => void | Promise<void>

const COMMANDS = new Map<string, InputCommand>([
  ['tap', tap],
  ['swipe', (call, args) => swipe(call, args, 300)],
  ['draganddrop', (call, args) => swipe(call, args, 300)],
  ['text', text],
  ['keyevent', keyevent],
  ['keycombination', keycombination],
  ['motionevent', motionevent],
  ['press', () => undefined],
  ['roll', () => undefined],
])

function tap(call: Call, args: readonly string[]): void {
  const [x, y] = [decimal(args[0], 'tap'), decimal(args[1], 'tap')]
  performGesture(call.device, { x1: x, y1: y, x2: x, y2: y, durationMs: 0 })
}

async function swipe(call: Call, args: readonly string[], otherwise: number): Promise<void> {
  const [x1, y1, x2, y2] = [0, 1, 2, 3].map((index) => decimal(args[index], 'swipe'))
  const durationMs = args[4] === undefined ? otherwise : integer(args[4])
  await call.device.clock.sleep(call.device.latency.inputMs === 0 ? 0 : durationMs, call.signal)
  performGesture(call.device, { x1, y1, x2, y2, durationMs } as Gesture)
}

/**
 * `%s` is a space and nothing escapes it. One character that the virtual key map lacks, and the
 * whole call fails with nothing typed. Line ends are dropped.
 */
function text(call: Call, args: readonly string[]): void {
  const typed = unescapeSpaces(required(args[0], 'text')).replaceAll(/[\n\r\t]/g, '')
  if (Array.from(typed).some((char) => strokeOf(char) === undefined)) {
    throw new InputFailure(
      'java.lang.NullPointerException: Attempt to get length of null array\n' +
        '\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:319)\n' +
        '\tat com.android.server.input.InputShellCommand.runText(InputShellCommand.java:291)',
    )
  }
  insertText(call.device, typed)
}

function unescapeSpaces(word: string): string {
  const result: string[] = []
  let afterPercent = false
  for (const char of word) {
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
  required(keys[0], 'keyevent')
  for (const word of keys) {
    const key = keyNameOf(word)
    pressKey(call.device, { key })
  }
}

/** Keys held together: modifiers first, the last one is pressed with them. */
function keycombination(call: Call, args: readonly string[]): void {
  const words = args[0] === '-t' ? args.slice(2) : args
  if (words.length < 2) {
    throw new InputFailure(
      'java.lang.IllegalArgumentException: keycombination requires at least 2 keycodes',
    )
  }
  const keys = words.map(keyNameOf)
  const held = keys.slice(0, -1)
  pressKey(call.device, {
    key: keys.at(-1) ?? 'UNKNOWN',
    ctrl: held.some((key) => key.startsWith('CTRL')),
    shift: held.some((key) => key.startsWith('SHIFT')),
  })
}

const fingers = new WeakMap<
  Call['device'],
  { readonly x: number; readonly y: number; readonly sinceMs: number }
>()

function motionevent(call: Call, args: readonly string[]): void {
  const kind = required(args[0], 'motionevent').toUpperCase()
  const { device } = call
  if (kind === 'CANCEL') {
    fingers.delete(device)
    return
  }
  const [x, y] = [decimal(args[1], 'motionevent'), decimal(args[2], 'motionevent')]
  if (kind === 'DOWN') fingers.set(device, { x, y, sinceMs: device.clock.now() })
  const start = fingers.get(device)
  if (kind !== 'UP' || start === undefined) return
  fingers.delete(device)
  const durationMs = device.clock.now() - start.sinceMs
  performGesture(device, { x1: start.x, y1: start.y, x2: x, y2: y, durationMs })
}

function required(word: string | undefined, after: string): string {
  if (word !== undefined) return word
  throw new InputFailure(`java.lang.IllegalArgumentException: Argument expected after "${after}"`)
}

function decimal(word: string | undefined, after: string): number {
  const given = required(word, after)
  if (/^[-+]?(\d+\.?\d*|\.\d+)$/.test(given)) return Number(given)
  throw new InputFailure(`java.lang.NumberFormatException: For input string: "${given}"`)
}

function integer(word: string): number {
  if (/^[-+]?\d+$/.test(word)) return Number(word)
  throw new InputFailure(`java.lang.NumberFormatException: For input string: "${word}"`)
}
