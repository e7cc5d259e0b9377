import type { ScriptReader } from './script-reader.ts'
import type { Condition, Word } from './syntax.ts'
import { readWord } from './words.ts'

/** Reads the expression of `[[ ... ]]` and its end. */
export function readCondition(reader: ScriptReader): Condition {
  const test = readAny(reader)
  reader.skipLines()
  if (!reader.takeWord(']]')) throw reader.unexpected()
  return test
}

function readAny(reader: ScriptReader): Condition {
  return readParts(reader, { kind: 'any', mark: '||', read: readAll })
}

function readAll(reader: ScriptReader): Condition {
  return readParts(reader, { kind: 'all', mark: '&&', read: readOne })
}

interface Level {
  readonly kind: 'all' | 'any'
  readonly mark: string
  readonly read: (reader: ScriptReader) => Condition
}

function readParts(reader: ScriptReader, { kind, mark, read }: Level): Condition {
  const first = read(reader)
  const parts = [first]
  for (reader.skipLines(); reader.take(mark); reader.skipLines()) parts.push(read(reader))
  return parts.length === 1 ? first : { kind, parts }
}

const UNARY = /-[bcdefghknoprstuwxzGLOS](?=\s)/y
const BINARY = /(?:-(?:eq|ne|lt|le|gt|ge|nt|ot|ef)(?=\s)|==|=~|=|!=|<|>)/y

function readOne(reader: ScriptReader): Condition {
  reader.skipLines()
  if (reader.takeWord('!')) return { kind: 'not', part: reader.nested(readOne) }
  if (reader.take('(')) {
    const inner = reader.nested(readAny)
    reader.skipLines()
    reader.expect(')')
    return inner
  }
  const operator = reader.takePattern(UNARY)?.[0]
  if (operator !== undefined) return { kind: 'unary', operator, word: requireWord(reader) }
  const left = requireWord(reader)
  reader.skipBlanks()
  const between = reader.takePattern(BINARY)?.[0]
  if (between === undefined) return { kind: 'unary', operator: '-n', word: left }
  return { kind: 'binary', operator: between, left, right: requireWord(reader) }
}

function requireWord(reader: ScriptReader): Word {
  reader.skipBlanks()
  if (reader.isAtWord(']]')) throw reader.unexpected()
  const word = readWord(reader)
  if (word === undefined) throw reader.unexpected()
  return word
}
