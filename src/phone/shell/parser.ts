import { readCompound } from './compound-parser.ts'
import { readRedirect } from './redirect-parser.ts'
import { ScriptReader } from './script-reader.ts'
import type { Assignment, ChainLink, Command, Redirect, Word } from './syntax.ts'
import { readWord } from './words.ts'

/** Parses a script in time that is linear in its length. Throws ShellSyntaxError. */
export function parseScript(text: string): Command {
  const reader = new ScriptReader(text, readSequence)
  const script = readSequence(reader)
  if (!reader.atEnd()) throw reader.unexpected()
  reader.finish()
  return script
}

const CLOSING_WORDS = ['}', 'then', 'else', 'elif', 'fi', 'do', 'done', 'esac']

function isAtClosing(reader: ScriptReader): boolean {
  return reader.atEnd() || reader.isAt(')') || reader.isAt(';;') || CLOSING_WORDS.some((word) => reader.isAtWord(word))
}

/** Reads commands up to a closing token, the end, or something that cannot follow a command. */
function readSequence(reader: ScriptReader): Command {
  const items: Command[] = []
  for (;;) {
    reader.skipLines()
    if (isAtClosing(reader)) break
    const command = readChain(reader)
    reader.skipBlanks()
    const inBackground = !reader.isAt('&&') && reader.take('&')
    items.push(inBackground ? { kind: 'background', command } : command)
    if (inBackground || reader.takeLineEnd()) continue
    if (reader.isAt(';;') || !reader.take(';')) break
  }
  return items.length === 1 && items[0] !== undefined ? items[0] : { kind: 'sequence', items }
}

function readChain(reader: ScriptReader): Command {
  const first = readPipe(reader)
  const links: ChainLink[] = []
  for (;;) {
    reader.skipBlanks()
    const when = reader.take('&&') ? 'success' : reader.take('||') ? 'failure' : undefined
    if (when === undefined) break
    reader.skipLines()
    links.push({ when, command: readPipe(reader) })
  }
  return links.length === 0 ? first : { kind: 'chain', first, links }
}

function readPipe(reader: ScriptReader): Command {
  let negated = false
  for (reader.skipBlanks(); reader.takeWord('!'); reader.skipBlanks()) negated = !negated
  const parts = [readCommand(reader)]
  for (;;) {
    reader.skipBlanks()
    if (reader.isAt('||') || !reader.take('|')) break
    reader.skipLines()
    parts.push(readCommand(reader))
  }
  const [first] = parts
  const command: Command = parts.length === 1 && first !== undefined ? first : { kind: 'pipe', parts }
  return negated ? { kind: 'not', command } : command
}

function readCommand(reader: ScriptReader): Command {
  reader.skipBlanks()
  const compound = reader.nested(readCompound)
  if (compound === undefined) return readSimple(reader)
  const redirects: Redirect[] = []
  for (;;) {
    reader.skipBlanks()
    const redirect = readRedirect(reader)
    if (redirect === undefined) break
    redirects.push(redirect)
  }
  return redirects.length === 0 ? compound : { kind: 'redirected', command: compound, redirects }
}

const ASSIGNMENT = /([A-Za-z_]\w*)(\+?)=/y
const FUNCTION_PARENTHESES = /[ \t]*\([ \t]*\)/y

function readSimple(reader: ScriptReader): Command {
  const assignments: Assignment[] = []
  const words: Word[] = []
  const redirects: Redirect[] = []
  for (;;) {
    reader.skipBlanks()
    const redirect = readRedirect(reader)
    if (redirect !== undefined) {
      redirects.push(redirect)
      continue
    }
    const name = words.length === 0 ? reader.takePattern(ASSIGNMENT) : undefined
    const word = readWord(reader)
    if (name !== undefined) assignments.push({ name: name[1] ?? '', append: name[2] === '+', value: word ?? [] })
    else if (word === undefined) break
    else words.push(word)
    if (words.length === 1 && assignments.length === 0 && reader.takePattern(FUNCTION_PARENTHESES) !== undefined) {
      return readFunction(reader, words[0])
    }
  }
  if (words.length + assignments.length + redirects.length === 0) throw reader.unexpected()
  return { kind: 'simple', assignments, words, redirects }
}

function readFunction(reader: ScriptReader, word: Word | undefined): Command {
  const [piece, ...others] = word ?? []
  if (piece?.kind !== 'text' || piece.quoted || others.length > 0 || !/^[A-Za-z_][\w.-]*$/.test(piece.text)) {
    throw reader.unexpected()
  }
  reader.skipLines()
  return { kind: 'function', name: piece.text, body: reader.nested(readCommand) }
}
