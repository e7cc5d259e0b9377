import { readCondition } from './condition-parser.ts'
import type { ScriptReader } from './script-reader.ts'
import type { CaseBranch, Command, IfBranch, Word } from './syntax.ts'
import { readArithmetic, readWord } from './words.ts'

/** Reads a command that begins with a bracket or a reserved word. Undefined if none is next. */
export function readCompound(reader: ScriptReader): Command | undefined {
  if (reader.take('((')) return { kind: 'arithmetic', expression: readArithmetic(reader) }
  if (reader.take('(')) return { kind: 'group', body: readBody(reader, ')'), subshell: true }
  if (reader.isAt('[[') && reader.takeWord('[[')) return { kind: 'condition', test: readCondition(reader) }
  for (const [word, read] of COMPOUNDS) if (reader.takeWord(word)) return read(reader)
  return undefined
}

const COMPOUNDS: readonly (readonly [string, (reader: ScriptReader) => Command])[] = [
  ['{', (reader) => ({ kind: 'group', body: readBody(reader, '}'), subshell: false })],
  ['if', readIf],
  ['while', (reader) => readLoop(reader, false)],
  ['until', (reader) => readLoop(reader, true)],
  ['for', readFor],
  ['case', readCase],
  ['function', readFunction],
]

/** Reads commands and the closing token behind them. */
function readBody(reader: ScriptReader, closing: string): Command {
  const body = reader.readCommands(reader)
  reader.expect(closing)
  return body
}

function readIf(reader: ScriptReader): Command {
  const branches: IfBranch[] = []
  do {
    const test = readBody(reader, 'then')
    branches.push({ test, body: reader.readCommands(reader) })
    reader.skipBlanks()
  } while (reader.takeWord('elif'))
  const otherwise = reader.takeWord('else') ? reader.readCommands(reader) : undefined
  reader.expect('fi')
  return { kind: 'if', branches, otherwise }
}

function readLoop(reader: ScriptReader, until: boolean): Command {
  const test = readBody(reader, 'do')
  return { kind: 'loop', until, test, body: readBody(reader, 'done') }
}

const NAME = /[A-Za-z_]\w*/y

function readName(reader: ScriptReader): string {
  reader.skipBlanks()
  const name = reader.takePattern(NAME)?.[0]
  if (name === undefined) throw reader.unexpected()
  return name
}

function readFor(reader: ScriptReader): Command {
  const name = readName(reader)
  reader.skipLines()
  const words = reader.takeWord('in') ? readWords(reader) : undefined
  reader.skipBlanks()
  if (!reader.isAt(';;')) reader.take(';')
  reader.skipLines()
  reader.expect('do')
  return { kind: 'for', name, words, body: readBody(reader, 'done') }
}

function readWords(reader: ScriptReader): Word[] {
  const words: Word[] = []
  for (;;) {
    reader.skipBlanks()
    const word = readWord(reader)
    if (word === undefined) return words
    words.push(word)
  }
}

function readCase(reader: ScriptReader): Command {
  reader.skipBlanks()
  const subject = readWord(reader)
  if (subject === undefined) throw reader.unexpected()
  reader.skipLines()
  reader.expect('in')
  const branches: CaseBranch[] = []
  for (;;) {
    reader.skipLines()
    if (reader.takeWord('esac')) return { kind: 'case', subject, branches }
    branches.push(readCaseBranch(reader))
  }
}

function readCaseBranch(reader: ScriptReader): CaseBranch {
  reader.take('(')
  const patterns: Word[] = []
  do {
    reader.skipBlanks()
    const pattern = readWord(reader)
    if (pattern === undefined) throw reader.unexpected()
    patterns.push(pattern)
    reader.skipBlanks()
  } while (reader.take('|'))
  reader.expect(')')
  const body = reader.readCommands(reader)
  reader.skipLines()
  if (!reader.isAtWord('esac')) reader.expect(';;')
  return { patterns, body }
}

const EMPTY_PARENTHESES = /[ \t]*\([ \t]*\)/y

/** `function NAME { ... }`. */
function readFunction(reader: ScriptReader): Command {
  const name = readName(reader)
  reader.takePattern(EMPTY_PARENTHESES)
  reader.skipLines()
  const body = reader.nested(readCompound)
  if (body === undefined) throw reader.unexpected()
  return { kind: 'function', name, body }
}
