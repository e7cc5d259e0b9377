import { OperationFailure } from '../adb/operation-failure.ts'
import { buildCommand } from '../adb/quoting.ts'

/**
 * Builds the commands that type a text by key events. Returns `undefined` if the key map has no key for one
 * of the characters, because `input text` would then type nothing.
 */
export function buildTypingCommands(text: string): readonly string[] | undefined {
  if (!TYPEABLE.test(text)) return undefined
  const pieces = text.replaceAll('\r\n', '\n').match(/\n+|\t+|[^\n\t]+/g) ?? []
  return pieces.flatMap((piece) => {
    const key = CONTROL_KEYS[piece[0] ?? '']
    if (key !== undefined) return splitChunks(piece).map((run) => buildKeyCommand(key, run.length))
    return splitTextArguments(piece).map((part) => buildCommand('input', 'text', part.replaceAll(' ', '%s')))
  })
}

/** Printable ASCII, tab, and line ends. A carriage return alone has no key. */
const TYPEABLE = /^(?:[\t\n\x20-\x7e]|\r\n)*$/

const CONTROL_KEYS: Readonly<Record<string, number>> = { '\n': 66, '\t': 61 }

/**
 * `input` converts `%s` to a space and has no escape for it, so a literal `%s` is split between its two
 * characters. Long texts are split too, because the key events of one call are queued as a whole.
 */
function splitTextArguments(piece: string): readonly string[] {
  return piece.split(/(?<=%)(?=s)/).flatMap(splitChunks)
}

function splitChunks(text: string): readonly string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; at += CHUNK_LENGTH) parts.push(text.slice(at, at + CHUNK_LENGTH))
  return parts
}

const CHUNK_LENGTH = 100

function buildKeyCommand(key: number, times: number): string {
  return buildCommand('input', 'keyevent', ...Array.from({ length: times }, () => key))
}

/** Builds the commands that delete characters from the end of the current line. */
export function buildClearingCommands(characters: number): readonly string[] {
  const runs = splitChunks('x'.repeat(characters))
  return [buildCommand('input', 'keyevent', MOVE_END), ...runs.map((run) => buildKeyCommand(DELETE, run.length))]
}

const MOVE_END = 123
const DELETE = 67

/** The failure for a text with a character that cannot be typed. */
export function toUnsupportedText(text: string): OperationFailure {
  const character = /[^\t\n\x20-\x7e]/u.exec(text.replaceAll('\r\n', ''))?.[0] ?? ''
  const point = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return new OperationFailure(
    'TEXT_UNSUPPORTED',
    `the device has no key for ${point} and no keyboard that takes texts is installed (apprentice devices prepare); nothing was typed`,
    point,
  )
}
