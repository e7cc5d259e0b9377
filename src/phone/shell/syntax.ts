/** The syntax tree of a command line. */
export type Command =
  | { readonly kind: 'sequence'; readonly items: readonly Command[] }
  | { readonly kind: 'and' | 'or'; readonly left: Command; readonly right: Command }
  | { readonly kind: 'not'; readonly command: Command }
  | { readonly kind: 'pipe'; readonly left: Command; readonly right: Command }
  | {
      readonly kind: 'group'
      readonly body: Command
      readonly subshell: boolean
      readonly redirects: readonly Redirect[]
    }
  | {
      readonly kind: 'simple'
      readonly assignments: readonly { readonly name: string; readonly value: Word }[]
      readonly words: readonly Word[]
      readonly redirects: readonly Redirect[]
    }

export interface Redirect {
  readonly fd: number
  readonly how: '>' | '>>' | '<' | '>&'
  readonly target: Word
}

export type Word = readonly Piece[]
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'variable'; readonly name: string; readonly quoted: boolean }
  | { readonly kind: 'command'; readonly body: Command; readonly quoted: boolean }
  | { readonly kind: 'arithmetic'; readonly text: string; readonly quoted: boolean }

export class ShellSyntaxError extends Error {
  /** The input ends inside a quote or bracket. More input could complete it. */
  readonly incomplete: boolean

  constructor(message: string, incomplete: boolean) {
    super(message)
    this.incomplete = incomplete
  }
}

/** Parses a script. Throws ShellSyntaxError. */
export function parseScript(text: string): Command {
  const reader = new ScriptReader(text)
  const script = readSequence(reader)
  if (!reader.atEnd()) throw unexpected(reader)
  return script
}

function readSequence(reader: ScriptReader): Command {
  const items: Command[] = []
  for (;;) {
    reader.skipSeparators()
    if (reader.atEnd() || reader.isAt(')') || reader.isAtClosingBrace()) {
      return { kind: 'sequence', items }
    }
    items.push(readAndOr(reader))
    reader.skipBlanks()
    if (reader.isAt(';;') || (reader.isAt('&') && !reader.isAt('&&'))) throw unexpected(reader)
    if (!reader.take(';') && !reader.take('\n')) return { kind: 'sequence', items }
  }
}

function readAndOr(reader: ScriptReader): Command {
  let left = readPipe(reader)
  for (;;) {
    reader.skipBlanks()
    const kind = reader.take('&&') ? 'and' : reader.take('||') ? 'or' : undefined
    if (kind === undefined) return left
    reader.skipLines()
    left = { kind, left, right: readPipe(reader) }
  }
}

function readPipe(reader: ScriptReader): Command {
  reader.skipBlanks()
  if (reader.takeWord('!')) return { kind: 'not', command: readPipe(reader) }
  const left = readCommand(reader)
  reader.skipBlanks()
  if (reader.isAt('||') || !reader.take('|')) return left
  reader.skipLines()
  return { kind: 'pipe', left, right: readPipe(reader) }
}

function readCommand(reader: ScriptReader): Command {
  reader.skipBlanks()
  if (reader.take('(')) return readGroup(reader, ')')
  if (reader.takeWord('{')) return readGroup(reader, '}')
  const assignments: { name: string; value: Word }[] = []
  const words: Word[] = []
  const redirects: Redirect[] = []
  for (;;) {
    reader.skipBlanks()
    const redirect = readRedirect(reader)
    if (redirect !== undefined) {
      redirects.push(redirect)
      continue
    }
    const name = words.length === 0 ? reader.takeAssignment() : undefined
    const word = readWord(reader)
    if (name !== undefined) assignments.push({ name, value: word ?? [] })
    else if (word === undefined) break
    else words.push(word)
  }
  if (words.length + assignments.length + redirects.length === 0) throw unexpected(reader)
  return { kind: 'simple', assignments, words, redirects }
}

function readGroup(reader: ScriptReader, closing: ')' | '}'): Command {
  const body = readSequence(reader)
  reader.skipBlanks()
  if (!reader.take(closing)) throw unexpected(reader)
  const redirects: Redirect[] = []
  for (;;) {
    reader.skipBlanks()
    const redirect = readRedirect(reader)
    if (redirect === undefined) return { kind: 'group', body, subshell: closing === ')', redirects }
    redirects.push(redirect)
  }
}

const REDIRECT = /(\d?)(>>|>&|>|<(?!<))/y

function readRedirect(reader: ScriptReader): Redirect | undefined {
  const mark = reader.takePattern(REDIRECT)
  if (mark === undefined) return undefined
  const how = mark[2] as Redirect['how']
  const fd = mark[1] === '' ? (how === '<' ? 0 : 1) : Number(mark[1])
  reader.skipBlanks()
  const target = readWord(reader)
  if (target === undefined) throw unexpected(reader)
  return { fd, how, target }
}

/** Reads a word up to an unquoted blank or operator. */
function readWord(reader: ScriptReader): Word | undefined {
  const pieces: Piece[] = []
  for (;;) {
    const piece = readPiece(reader)
    if (piece === undefined) return pieces.length === 0 ? undefined : pieces
    pieces.push(...piece)
  }
}

const PLAIN = /[^\s|&;()<>'"\\$`]+/y

function readPiece(reader: ScriptReader): readonly Piece[] | undefined {
  if (reader.atEnd()) return undefined
  if (reader.take("'")) return [{ kind: 'text', text: reader.takeUntil("'"), quoted: true }]
  if (reader.take('"')) return readDoubleQuoted(reader)
  if (reader.take('\\\n')) return []
  if (reader.take('\\')) return [{ kind: 'text', text: reader.takeChar(), quoted: true }]
  const expansion = readExpansion(reader, false)
  if (expansion !== undefined) return [expansion]
  const plain = reader.takePattern(PLAIN)
  if (plain !== undefined) return [{ kind: 'text', text: plain[0], quoted: false }]
  if (reader.take('$')) return [{ kind: 'text', text: '$', quoted: false }]
  return undefined
}

function readDoubleQuoted(reader: ScriptReader): readonly Piece[] {
  const pieces: Piece[] = [{ kind: 'text', text: '', quoted: true }]
  const text = (value: string): void => {
    pieces.push({ kind: 'text', text: value, quoted: true })
  }
  while (!reader.take('"')) {
    const escaped = reader.takePattern(/\\([$`"\\\n])/y)
    const plain = escaped ?? reader.takePattern(/[^"\\$`]+/y)
    const expansion = plain === undefined ? readExpansion(reader, true) : undefined
    if (escaped !== undefined) text(escaped[1] === '\n' ? '' : (escaped[1] ?? ''))
    else if (plain !== undefined) text(plain[0])
    else if (expansion !== undefined) pieces.push(expansion)
    else text(reader.takeChar())
  }
  return pieces
}

const VARIABLE = /\$(?:\{(\w+)\}|([A-Za-z_]\w*|[0-9?$#@*!]))/y

function readExpansion(reader: ScriptReader, quoted: boolean): Piece | undefined {
  if (reader.take('$((')) {
    return { kind: 'arithmetic', text: reader.takeUntil('))'), quoted }
  }
  if (reader.take('$(')) {
    const body = readSequence(reader)
    if (!reader.take(')')) throw unexpected(reader)
    return { kind: 'command', body, quoted }
  }
  if (reader.take('`')) return { kind: 'command', body: parseScript(reader.takeUntil('`')), quoted }
  const name = reader.takePattern(VARIABLE)
  if (name === undefined) return undefined
  return { kind: 'variable', name: name[1] ?? name[2] ?? '', quoted }
}

function unexpected(reader: ScriptReader): ShellSyntaxError {
  const found = reader.describeNext()
  return new ShellSyntaxError(
    found === undefined ? 'syntax error: unexpected EOF' : `syntax error: unexpected '${found}'`,
    found === undefined,
  )
}

const ASSIGNMENT = /([A-Za-z_]\w*)=/y
const BLANKS = /(?:[ \t\r]|\\\n)+/y

class ScriptReader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  atEnd(): boolean {
    return this.at >= this.text.length
  }

  isAt(mark: string): boolean {
    return this.text.startsWith(mark, this.at)
  }

  /** A brace closes a group only if a blank, an operator or the end follows. */
  isAtClosingBrace(): boolean {
    if (!this.isAt('}')) return false
    const next = this.text[this.at + 1]
    return next === undefined || /[\s;&|)<>]/.test(next)
  }

  take(mark: string): boolean {
    if (!this.isAt(mark)) return false
    this.at += mark.length
    return true
  }

  /** Takes an operator that must be followed by a blank or the end. */
  takeWord(mark: string): boolean {
    const next = this.text[this.at + mark.length]
    if (!this.isAt(mark) || (next !== undefined && !/\s/.test(next))) return false
    this.at += mark.length
    return true
  }

  takeAssignment(): string | undefined {
    return this.takePattern(ASSIGNMENT)?.[1]
  }

  takePattern(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const match = pattern.exec(this.text)
    if (match === null) return undefined
    this.at = pattern.lastIndex
    return match
  }

  takeUntil(mark: string): string {
    const end = this.text.indexOf(mark, this.at)
    if (end === -1) throw new ShellSyntaxError('no closing quote', true)
    const taken = this.text.slice(this.at, end)
    this.at = end + mark.length
    return taken
  }

  takeChar(): string {
    if (this.atEnd()) throw new ShellSyntaxError('no closing quote', true)
    const char = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0)
    this.at += char.length
    return char
  }

  skipBlanks(): void {
    this.takePattern(BLANKS)
    if (this.isAt('#') && (this.at === 0 || /[\s;&|()]/.test(this.text[this.at - 1] ?? ' '))) {
      this.takePattern(/[^\n]*/y)
    }
  }

  skipLines(): void {
    do this.skipBlanks()
    while (this.take('\n'))
  }

  skipSeparators(): void {
    this.skipLines()
  }

  describeNext(): string | undefined {
    if (this.atEnd()) return undefined
    if (this.isAt('\n')) return 'newline'
    return /^(?:&&|\|\||;;|<<|[^\s])/.exec(this.text.slice(this.at))?.[0] ?? ' '
  }
}
