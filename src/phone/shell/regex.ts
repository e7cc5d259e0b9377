import { RE2JS } from 're2js'
import { splitBrackets } from './brackets.ts'

export interface Regex {
  /** The first match from `start` on: its text, place and groups. */
  find(text: string, start?: number): RegexMatch | undefined
}

export interface RegexMatch {
  readonly start: number
  readonly end: number
  /** The match and its groups. */
  readonly groups: readonly string[]
}

export interface RegexOptions {
  readonly syntax: 'basic' | 'extended' | 'fixed'
  readonly ignoreCase?: boolean
  /** Match whole lines, or whole words, only. */
  readonly whole?: 'line' | 'word' | undefined
}

/** Compiles a regular expression that takes linear time. Undefined if it is invalid. */
export function compileRegex(source: string, { syntax, ignoreCase = false, whole }: RegexOptions): Regex | undefined {
  const plain = syntax === 'fixed' ? RE2JS.quote(source) : toExtended(source, syntax)
  const framed = whole === undefined ? plain : whole === 'line' ? `^(?:${plain})$` : String.raw`\b(?:${plain})\b`
  try {
    const compiled = RE2JS.compile(framed, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    return { find: (text, start = 0) => findMatch(compiled, text, start) }
  } catch {
    return undefined
  }
}

function findMatch(compiled: RE2JS, text: string, start: number): RegexMatch | undefined {
  const matcher = compiled.matcher(text)
  if (!matcher.find(start)) return undefined
  const groups = Array.from({ length: matcher.groupCount() + 1 }, (_group, index) => matcher.group(index) ?? '')
  return { start: matcher.start(), end: matcher.end(), groups }
}

/** Converts a POSIX expression. In the basic form `+ ? | ( ) { }` are text unless a backslash is before them. */
function toExtended(source: string, syntax: 'basic' | 'extended'): string {
  const pieces = splitBrackets(source)
  const converted: string[] = []
  for (let at = 0; at < pieces.length; at += 1) {
    const piece = pieces[at] ?? ''
    const isEscape = piece === '\\' && at + 1 < pieces.length
    if (isEscape) at += 1
    if (piece.length > 1 && piece.startsWith('['))
      converted.push(piece.replaceAll(/\\(?![dswDSW\]\\])/g, String.raw`\\`))
    else if (isEscape) converted.push(convertEscape(pieces[at] ?? '', syntax))
    else if (syntax === 'basic' && /^[+?|(){}]$/.test(piece)) converted.push(`\\${piece}`)
    else if (syntax === 'basic' && piece === '*' && /^(?:|\()$/.test(converted.at(-1) ?? ''))
      converted.push(String.raw`\*`)
    else converted.push(piece)
  }
  return converted.join('')
}

function convertEscape(char: string, syntax: 'basic' | 'extended'): string {
  if (char === '<' || char === '>') return String.raw`\b`
  return syntax === 'basic' && /^[+?|(){}]$/.test(char) ? char : `\\${char}`
}
