import { type Command, ShellSyntaxError } from './syntax.ts'

/** Deeper scripts are refused, so that reading and running them cannot exhaust the stack. */
const MAX_DEPTH = 100

const BLANKS = /(?:[ \t\r]|\\\n)+/y
const COMMENT = /#[^\n]*/y
const NEXT_TOKEN = /&&|\|\||;;|<<|[A-Za-z]+|[^\s]/y

/** Where a script is being read. Every method takes time in proportion to the text that it passes. */
export class ScriptReader {
  readonly text: string
  /** Reads commands up to a closing token. The readers of words use it for substitutions. */
  readonly readCommands: (reader: ScriptReader) => Command
  private at = 0
  private depth = 0
  /** Here documents whose text begins after the end of this line. */
  private readonly waiting: ((reader: ScriptReader) => void)[] = []

  constructor(text: string, readCommands: (reader: ScriptReader) => Command, depth = 0) {
    this.text = text
    this.readCommands = readCommands
    this.depth = depth
  }

  atEnd(): boolean {
    return this.at >= this.text.length
  }

  isAt(mark: string): boolean {
    return this.text.startsWith(mark, this.at)
  }

  take(mark: string): boolean {
    if (!this.isAt(mark)) return false
    this.at += mark.length
    return true
  }

  /** True if a reserved word is next, with a blank, an operator or the end behind it. */
  isAtWord(mark: string): boolean {
    if (!this.isAt(mark)) return false
    const next = this.text[this.at + mark.length]
    return next === undefined || /[\s;&|()<>]/.test(next)
  }

  takeWord(mark: string): boolean {
    if (!this.isAtWord(mark)) return false
    this.at += mark.length
    return true
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

  /** The rest of the line without its end. Undefined at the end of the script. */
  takeLine(): string | undefined {
    if (this.atEnd()) return undefined
    const end = this.text.indexOf('\n', this.at)
    const line = this.text.slice(this.at, end === -1 ? undefined : end)
    this.at = end === -1 ? this.text.length : end + 1
    return line
  }

  skipBlanks(): void {
    this.takePattern(BLANKS)
    if (this.isAt('#') && (this.at === 0 || /[\s;&|()]/.test(this.text[this.at - 1] ?? ' '))) {
      this.takePattern(COMMENT)
    }
  }

  /** Takes the end of a line, and the here documents that begin after it. */
  takeLineEnd(): boolean {
    if (!this.take('\n')) return false
    for (const read of this.waiting.splice(0)) read(this)
    return true
  }

  skipLines(): void {
    do this.skipBlanks()
    while (this.takeLineEnd())
  }

  /** Calls `read` after the end of this line, where the text of a here document begins. */
  readAfterLine(read: (reader: ScriptReader) => void): void {
    this.waiting.push(read)
  }

  /** Reads the here documents of a last line without an end. */
  finish(): void {
    for (const read of this.waiting.splice(0)) read(this)
  }

  /** Reads a part inside another. */
  nested<T>(read: (reader: ScriptReader) => T): T {
    this.depth += 1
    if (this.depth > MAX_DEPTH) throw new ShellSyntaxError('syntax error: nested too deeply', false)
    const part = read(this)
    this.depth -= 1
    return part
  }

  /** A reader of another text, as deep inside the script as this one. */
  inner(text: string): ScriptReader {
    if (this.depth >= MAX_DEPTH) throw new ShellSyntaxError('syntax error: nested too deeply', false)
    return new ScriptReader(text, this.readCommands, this.depth + 1)
  }

  unexpected(): ShellSyntaxError {
    if (this.atEnd()) return new ShellSyntaxError('syntax error: unexpected EOF', true)
    NEXT_TOKEN.lastIndex = this.at
    const found = this.isAt('\n') ? 'newline' : (NEXT_TOKEN.exec(this.text)?.[0] ?? ' ')
    return new ShellSyntaxError(`syntax error: unexpected '${found}'`, false)
  }

  /** Takes a closing token. Throws if something else is next. */
  expect(mark: string): void {
    this.skipBlanks()
    const found = /\w/.test(mark) ? this.takeWord(mark) : this.take(mark)
    if (!found) throw this.unexpected()
  }
}
