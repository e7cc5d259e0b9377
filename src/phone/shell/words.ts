import type { ScriptReader } from './script-reader.ts'
import { type Piece, ShellSyntaxError, type Word } from './syntax.ts'

/** Reads a word up to an unquoted blank or operator. */
export function readWord(reader: ScriptReader): Word | undefined {
  return readPieces(reader, PLAIN)
}

const PLAIN = /[^\s|&;()<>'"\\$`]+/y
/** Inside `${NAME...}` and in patterns, blanks and operators are text. */
const PLAIN_IN_BRACES = /[^}'"\\$`]+/y
const PLAIN_BEFORE_SLASH = /[^}'"\\$`/]+/y
const PLAIN_BEFORE_COLON = /[^}'"\\$`:]+/y

function readPieces(reader: ScriptReader, plain: RegExp): Word | undefined {
  const pieces: Piece[] = []
  for (;;) {
    const piece = readPiece(reader, plain)
    if (piece === undefined) return pieces.length === 0 ? undefined : pieces
    pieces.push(...piece)
  }
}

function readPiece(reader: ScriptReader, plain: RegExp): readonly Piece[] | undefined {
  if (reader.atEnd()) return undefined
  const text = reader.takePattern(plain)
  if (text !== undefined) return [{ kind: 'text', text: text[0], quoted: false }]
  if (reader.take("'")) return [{ kind: 'text', text: reader.takeUntil("'"), quoted: true }]
  if (reader.take('"')) return readQuoted(reader, '"')
  if (reader.take('\\\n')) return []
  if (reader.take('\\')) return [{ kind: 'text', text: reader.takeChar(), quoted: true }]
  if (reader.take("$'")) return [{ kind: 'text', text: readEscaped(reader), quoted: true }]
  const expansion = readExpansion(reader, false)
  if (expansion !== undefined) return [expansion]
  return reader.take('$') ? [{ kind: 'text', text: '$', quoted: false }] : undefined
}

const ESCAPED_IN_QUOTES = /\\([$`"\\\n])/y
const PLAIN_IN_QUOTES = /[^"\\$`]+/y

/** Reads the text of double quotes, or of a here document when `closing` is undefined. */
export function readQuoted(reader: ScriptReader, closing: '"' | undefined): readonly Piece[] {
  const pieces: Piece[] = [{ kind: 'text', text: '', quoted: true }]
  const text = (value: string): void => {
    pieces.push({ kind: 'text', text: value, quoted: true })
  }
  while (closing === undefined ? !reader.atEnd() : !reader.take(closing)) {
    const escaped = reader.takePattern(ESCAPED_IN_QUOTES)
    const plain = escaped ?? reader.takePattern(PLAIN_IN_QUOTES)
    const expansion = plain === undefined ? readExpansion(reader, true) : undefined
    if (escaped !== undefined) text(escaped[1] === '\n' ? '' : (escaped[1] ?? ''))
    else if (plain !== undefined) text(plain[0])
    else if (expansion !== undefined) pieces.push(expansion)
    else text(reader.takeChar())
  }
  return pieces
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\u0007', b: '\b', e: '\u001B' }
const HEX_ESCAPE = /x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})/y

/** Reads the text of `$'...'` after its first quote. */
function readEscaped(reader: ScriptReader): string {
  const parts: string[] = []
  while (!reader.take("'")) {
    if (!reader.take('\\')) {
      parts.push(reader.takeChar())
      continue
    }
    const code = reader.takePattern(HEX_ESCAPE)
    if (code === undefined) {
      const char = reader.takeChar()
      parts.push(ESCAPES[char] ?? char)
    } else {
      const digits = code[1] ?? code[2]
      parts.push(
        String.fromCodePoint(digits === undefined ? Number.parseInt(code[3] ?? '0', 8) : Number.parseInt(digits, 16)),
      )
    }
  }
  return parts.join('')
}

const NAME = /\$([A-Za-z_]\w*|[0-9?$#@*!-])/y

function readExpansion(reader: ScriptReader, quoted: boolean): Piece | undefined {
  if (!reader.isAt('$') && !reader.isAt('`')) return undefined
  if (reader.take('$(('))
    return reader.nested(() => ({ kind: 'arithmetic', expression: readArithmetic(reader), quoted }))
  if (reader.take('$(')) {
    const body = reader.nested((inner) => inner.readCommands(inner))
    reader.expect(')')
    return { kind: 'command', body, quoted }
  }
  if (reader.take('`')) return { kind: 'command', body: readBackticks(reader), quoted }
  if (reader.take('${')) return reader.nested(() => readBraces(reader, quoted))
  const name = reader.takePattern(NAME)
  return name && { kind: 'variable', name: name[1] ?? '', change: undefined, quoted }
}

const BACKTICK_TEXT = /(?:[^`\\]+|\\[^])*/y

function readBackticks(reader: ScriptReader) {
  const text = reader.takePattern(BACKTICK_TEXT)?.[0] ?? ''
  if (!reader.take('`')) throw new ShellSyntaxError('no closing quote', true)
  const inner = reader.inner(text.replaceAll(/\\([$`\\])/g, '$1'))
  const body = inner.readCommands(inner)
  if (!inner.atEnd()) throw inner.unexpected()
  inner.finish()
  return body
}

const ARITHMETIC_TEXT = /[^()'"\\$`]+/y

/** Reads an arithmetic expression and the `))` behind it. */
export function readArithmetic(reader: ScriptReader): Word {
  const pieces: Piece[] = []
  let open = 0
  for (;;) {
    if (open === 0 && reader.take('))')) return pieces
    if (reader.isAt('(') || reader.isAt(')')) {
      open += reader.isAt('(') ? 1 : -1
      if (open < 0) throw reader.unexpected()
      pieces.push({ kind: 'text', text: reader.takeChar(), quoted: true })
      continue
    }
    const piece = readPiece(reader, ARITHMETIC_TEXT)
    if (piece === undefined) throw reader.unexpected()
    pieces.push(...piece)
  }
}

const BRACED_NAME = /([A-Za-z_]\w*|\d+|[?$#@*!-])/y
const CHANGE = /:?[-=?+]|##?|%%?|\/\/?[#%]?|:/y

function readBraces(reader: ScriptReader, quoted: boolean): Piece {
  const isLength = reader.isAt('#') && !reader.isAt('#}')
  if (isLength) reader.take('#')
  const name = reader.takePattern(BRACED_NAME)?.[1]
  if (name === undefined) throw new ShellSyntaxError('syntax error: bad substitution', reader.atEnd())
  const operator = isLength ? '#length' : reader.takePattern(CHANGE)?.[0]
  const change = operator === undefined || isLength ? undefined : readChange(reader, operator)
  if (!reader.take('}')) throw new ShellSyntaxError('syntax error: bad substitution', reader.atEnd())
  const length = { operator: '#length', word: [], second: undefined }
  return { kind: 'variable', name, change: isLength ? length : change, quoted }
}

function readChange(reader: ScriptReader, operator: string) {
  if (!operator.startsWith('/') && operator !== ':') {
    return { operator, word: readPieces(reader, PLAIN_IN_BRACES) ?? [], second: undefined }
  }
  const isSlash = operator !== ':'
  const word = readPieces(reader, isSlash ? PLAIN_BEFORE_SLASH : PLAIN_BEFORE_COLON) ?? []
  const second = reader.take(isSlash ? '/' : ':') ? (readPieces(reader, PLAIN_IN_BRACES) ?? []) : undefined
  return { operator, word, second }
}
