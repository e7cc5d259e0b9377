import { compileRegex, type Regex, type RegexMatch } from '../../shell/regex.ts'

export class SedError extends Error {}

export type SedAddress =
  | { readonly kind: 'line'; readonly number: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'regex'; readonly regex: Regex }

export interface SedCommand {
  readonly kind: 's' | 'y' | 'd' | 'p' | 'q' | '=' | 'a' | 'i' | 'c'
  readonly addresses: readonly SedAddress[]
  readonly negated: boolean
  /** The line that `a`, `i` and `c` add. */
  readonly text: string
  readonly prints: boolean
  change(text: string): { readonly text: string; readonly replaced: boolean }
}

/** Parses the script of sed. Throws SedError. */
export function parseSed(source: string, extended: boolean): readonly SedCommand[] {
  const reader = new SedReader(source, extended)
  const commands: SedCommand[] = []
  for (;;) {
    reader.skip(/[\s;]*/y)
    if (reader.atEnd()) return commands
    commands.push(reader.command())
  }
}

class SedReader {
  private readonly source: string
  private readonly extended: boolean
  private at = 0

  constructor(source: string, extended: boolean) {
    this.source = source
    this.extended = extended
  }

  atEnd(): boolean {
    return this.at >= this.source.length
  }

  skip(pattern: RegExp): string {
    pattern.lastIndex = this.at
    const text = pattern.exec(this.source)?.[0] ?? ''
    this.at += text.length
    return text
  }

  command(): SedCommand {
    const addresses: SedAddress[] = []
    const first = this.address()
    if (first !== undefined) addresses.push(first)
    if (first !== undefined && this.skip(/[ \t]*,[ \t]*/y) !== '') {
      const second = this.address()
      if (second === undefined) throw this.unexpected()
      addresses.push(second)
    }
    this.skip(/[ \t]*/y)
    const negated = this.skip(/![ \t]*/y) !== ''
    return this.action({ addresses, negated })
  }

  private address(): SedAddress | undefined {
    const number = this.skip(/\d+/y)
    if (number !== '') return { kind: 'line', number: Number(number) }
    if (this.skip(/\$/y) !== '') return { kind: 'last' }
    if (this.skip(/\//y) === '') return undefined
    return { kind: 'regex', regex: this.compile(this.until('/'), '') }
  }

  private action(where: Pick<SedCommand, 'addresses' | 'negated'>): SedCommand {
    const kind = this.skip(/[^]/y)
    const plain = { ...where, text: '', prints: false, change: (text: string) => ({ text, replaced: false }) }
    switch (kind) {
      case 'd':
      case 'p':
      case 'q':
      case '=':
        return { ...plain, kind }
      case 'a':
      case 'i':
      case 'c':
        this.skip(/[ \t]*\\?\n?[ \t]*/y)
        return { ...plain, kind, text: this.skip(/[^\n]*/y) }
      case 's':
        return { ...plain, ...this.substitution() }
      case 'y':
        return { ...plain, ...this.transliteration() }
      default:
        throw this.unexpected()
    }
  }

  private substitution(): Pick<SedCommand, 'kind' | 'prints' | 'change'> {
    const mark = this.skip(/[^]/y)
    const pattern = this.until(mark)
    const replacement = this.until(mark)
    const flags = this.skip(/[gpiI0-9]*/y)
    const regex = this.compile(pattern, flags)
    const nth = Number(/\d+/.exec(flags)?.[0] ?? 1)
    const change = (text: string) => substitute(text, regex, { replacement, all: flags.includes('g'), nth })
    return { kind: 's', prints: flags.includes('p'), change }
  }

  private transliteration(): Pick<SedCommand, 'kind' | 'change'> {
    const mark = this.skip(/[^]/y)
    const from = Array.from(this.until(mark))
    const to = Array.from(this.until(mark))
    if (from.length !== to.length) throw new SedError('y/// strings are different lengths')
    const change = (text: string) => ({
      text: Array.from(text, (char) => to[from.indexOf(char)] ?? char).join(''),
      replaced: false,
    })
    return { kind: 'y', change }
  }

  /** The text up to the mark. A backslash before the mark makes it text. */
  private until(mark: string): string {
    const parts: string[] = []
    for (;;) {
      const char = this.source[this.at]
      if (char === undefined || char === '\n') throw new SedError(`unterminated '${mark}'`)
      this.at += 1
      if (char === mark) return parts.join('')
      const next = this.source[this.at] ?? ''
      if (char === '\\') this.at += 1
      parts.push(char === '\\' && next !== mark ? `\\${next}` : char === '\\' ? next : char)
    }
  }

  private compile(pattern: string, flags: string): Regex {
    const options = { syntax: this.extended ? 'extended' : 'basic', ignoreCase: /i/i.test(flags) } as const
    const regex = compileRegex(pattern, options)
    if (regex === undefined) throw new SedError(`bad regex '${pattern}'`)
    return regex
  }

  private unexpected(): SedError {
    return new SedError(`bad pattern '${this.source}'@${this.at} ${this.source[this.at] ?? ''}`)
  }
}

interface Substitution {
  readonly replacement: string
  readonly all: boolean
  /** The first match that is replaced. */
  readonly nth: number
}

function substitute(text: string, regex: Regex, { replacement, all, nth }: Substitution) {
  const parts: string[] = []
  let [at, from, count, replaced] = [0, 0, 0, false]
  while (at <= text.length) {
    const match = regex.find(text, at)
    if (match === undefined) break
    count += 1
    if (count >= nth) {
      parts.push(text.slice(from, match.start), fill(replacement, match))
      from = match.end
      replaced = true
      if (!all) break
    }
    at = match.end > match.start ? match.end : match.end + 1
  }
  return { text: `${parts.join('')}${text.slice(from)}`, replaced }
}

function fill(replacement: string, { groups }: RegexMatch): string {
  return replacement.replaceAll(
    /\\([0-9])|\\(n)|\\([^])|&/g,
    (all, group: string | undefined, line: string | undefined, other: string | undefined) => {
      if (group !== undefined) return groups[Number(group)] ?? ''
      if (line !== undefined) return '\n'
      return other ?? (all === '&' ? (groups[0] ?? '') : all)
    },
  )
}
