import { OperationFailure } from '../adb/operation-failure.ts'
import { command } from '../adb/quoting.ts'

/**
 * The commands that type a text by key events, or `undefined` when the device's key map has no key
 * for one of its characters: `input text` would then type nothing at all.
 */
export function typingCommands(text: string): readonly string[] | undefined {
  if (!TYPEABLE.test(text)) return undefined
  const pieces = text.replaceAll('\r\n', '\n').match(/\n+|\t+|[^\n\t]+/g) ?? []
  return pieces.flatMap((piece) => {
    const key = KEYS[piece[0] ?? '']
    if (key !== undefined) return chunks(piece).map((run) => keyCommand(key, run.length))
    return wordsOf(piece).map((words) => command('input', 'text', words.replaceAll(' ', '%s')))
  })
}

/** Printable ASCII, tab, and line ends. A carriage return alone has no key. */
const TYPEABLE = /^(?:[\t\n\x20-\x7e]|\r\n)*$/

const KEYS: Readonly<Record<string, number>> = { '\n': 66, '\t': 61 }

/**
 * `input` reads `%s` as a space and knows no escape for it, so a typed `%s` is cut between its two
 * characters. Long texts go in pieces: the key events of one call are queued as a whole.
 */
function wordsOf(piece: string): readonly string[] {
  return piece.split(/(?<=%)(?=s)/).flatMap(chunks)
}

function chunks(text: string): readonly string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; at += CHUNK) parts.push(text.slice(at, at + CHUNK))
  return parts
}

const CHUNK = 100

function keyCommand(key: number, times: number): string {
  return command('input', 'keyevent', ...Array.from({ length: times }, () => key))
}

/** Deletes this many characters from the end of the line the cursor is in. */
export function clearingCommands(characters: number): readonly string[] {
  const runs = chunks('x'.repeat(characters))
  return [command('input', 'keyevent', MOVE_END), ...runs.map((run) => keyCommand(DEL, run.length))]
}

const MOVE_END = 123
const DEL = 67

/** What to say before anything is typed. */
export function unsupportedText(text: string): OperationFailure {
  const strange = /[^\t\n\x20-\x7e]/u.exec(text.replaceAll('\r\n', ''))?.[0] ?? ''
  const point = `U+${(strange.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  return new OperationFailure(
    'TEXT_UNSUPPORTED',
    `the device has no key for ${point} and no ADB keyboard is installed to send it; nothing was typed`,
    point,
  )
}
