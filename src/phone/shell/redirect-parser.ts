import type { ScriptReader } from './script-reader.ts'
import { type Redirect, ShellSyntaxError, type Word } from './syntax.ts'
import { readQuoted, readWord } from './words.ts'

const MARK = /(\d?)(&>>?|<<<|<<-?|>>|>&|<&|<>|>\||>|<)/y

export function readRedirect(reader: ScriptReader): Redirect | undefined {
  const mark = reader.takePattern(MARK)
  if (mark === undefined) return undefined
  const [, digit, sign = ''] = mark
  reader.skipBlanks()
  if (sign === '<<' || sign === '<<-') return readHereDocument(reader, sign === '<<-')
  const target = readWord(reader)
  if (target === undefined) throw reader.unexpected()
  const fd = digit === undefined || digit === '' ? (sign.startsWith('<') ? 0 : 1) : Number(digit)
  return { fd: sign.startsWith('&') ? BOTH : fd, how: toKind(sign), target }
}

/** The descriptor of `&>`: standard output and standard error. */
export const BOTH = -1

function toKind(sign: string): Redirect['how'] {
  switch (sign) {
    case '>>':
    case '&>>':
      return '>>'
    case '>&':
    case '<&':
    case '<':
    case '<>':
    case '<<<':
      return sign
    default:
      return '>'
  }
}

/** The text of the document begins on the next line, so the target is filled in later. */
function readHereDocument(reader: ScriptReader, withoutTabs: boolean): Redirect {
  const word = readWord(reader)
  if (word === undefined) throw reader.unexpected()
  const isQuoted = word.some((piece) => piece.kind === 'text' && piece.quoted)
  const delimiter = word.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
  const target: Word[number][] = []
  reader.readAfterLine((source) => {
    const text = readLines(source, delimiter, withoutTabs)
    if (isQuoted) target.push({ kind: 'text', text, quoted: true })
    else for (const piece of readQuoted(source.inner(text), undefined)) target.push(piece)
  })
  return { fd: 0, how: '<<', target }
}

function readLines(reader: ScriptReader, delimiter: string, withoutTabs: boolean): string {
  const lines: string[] = []
  for (;;) {
    const line = reader.takeLine()
    if (line === undefined) throw new ShellSyntaxError(`here document '${delimiter}' unclosed`, true)
    const text = withoutTabs ? line.replace(/^\t+/, '') : line
    if (text === delimiter) return lines.map((one) => `${one}\n`).join('')
    lines.push(text)
  }
}
