/**
 * Regular expressions from outside: the syntax of JavaScript without lookaround and backreferences, which no engine can
 * match in linear time. A pattern is translated to the syntax of RE2 and its size is bounded before anything is compiled.
 */

export interface ParsedPattern {
  /** The same pattern in the syntax of RE2. */
  readonly re2: string
  /** The number of capture groups. */
  readonly groups: number
  /** The number of states that matching may have to follow at once. */
  readonly size: number
}

/** A pattern with counted repetitions written out may not be larger. */
export const MAX_PATTERN_SIZE = 1000

/** The parsed pattern, or what is wrong with it as the end of a sentence that starts with the name of the field. */
export function parsePattern(source: string): ParsedPattern | { readonly problem: string } {
  try {
    return new PatternParser(source).parse()
  } catch (error) {
    if (error instanceof PatternProblem) return { problem: error.message }
    throw error
  }
}

export function findPatternProblem(source: string): string | undefined {
  const parsed = parsePattern(source)
  return 'problem' in parsed ? parsed.problem : undefined
}

class PatternProblem extends Error {}

interface Part {
  readonly re2: string
  readonly size: number
}

/** What `\s` and `.` mean in JavaScript. RE2 knows fewer blanks and fewer line ends. */
const BLANKS = String.raw`\t\n\v\f\r\x20\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
const LINE_ENDS = String.raw`\n\r\x{2028}\x{2029}`
const ANY = String.raw`\x{0}-\x{10ffff}`
const NON_BLANKS = String.raw`\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`

/** The content of a character class for each escape that stands for several characters. */
const CLASS_ESCAPES: Readonly<Record<string, string>> = {
  d: '0-9',
  D: String.raw`\x{0}-\x{2f}\x{3a}-\x{10ffff}`,
  w: '0-9A-Za-z_',
  W: String.raw`\x{0}-\x{2f}\x{3a}-\x{40}\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff}`,
  s: BLANKS,
  S: NON_BLANKS,
}
const CONTROL_ESCAPES: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, '0': 0 }
const LOOKAROUND: readonly (readonly [start: string, name: string])[] = [
  ['(?=', 'lookahead'],
  ['(?!', 'lookahead'],
  ['(?<=', 'lookbehind'],
  ['(?<!', 'lookbehind'],
]
const COUNT = /\{(\d{1,7})(?:(,)(\d{0,7}))?\}/y
const GROUP_NAME = /\(\?<[A-Za-z_$][\w$]*>/y

class PatternParser {
  readonly #source: string
  #at = 0
  #groups = 0

  constructor(source: string) {
    this.#source = source
  }

  parse(): ParsedPattern {
    const { re2, size } = this.#alternatives()
    if (this.#at < this.#source.length) throw new PatternProblem('has a ) without a (')
    return { re2, size, groups: this.#groups }
  }

  #alternatives(): Part {
    const parts: Part[] = [this.#sequence()]
    while (this.#take('|')) parts.push(this.#sequence())
    const size = parts.reduce((sum, part) => sum + part.size, parts.length - 1)
    return { re2: parts.map((part) => part.re2).join('|'), size: checkSize(size) }
  }

  #sequence(): Part {
    let re2 = ''
    let size = 0
    while (this.#at < this.#source.length && !this.#isNext('|') && !this.#isNext(')')) {
      const part = this.#term()
      re2 += part.re2
      size = checkSize(size + part.size)
    }
    return { re2, size }
  }

  #term(): Part {
    const assertion = ['^', '$', String.raw`\b`, String.raw`\B`].find((text) => this.#isNext(text))
    if (assertion !== undefined) {
      this.#at += assertion.length
      if (this.#readCount() !== undefined)
        throw new PatternProblem(`repeats ${assertion}, which stands for no character`)
      return { re2: assertion, size: 1 }
    }
    if (this.#readCount() !== undefined) throw new PatternProblem('has a repetition with nothing to repeat')
    return this.#repeat(this.#atom())
  }

  #repeat(atom: Part): Part {
    const count = this.#readCount()
    if (count === undefined) return atom
    const { least, most } = count
    if (most !== undefined && least > most) throw new PatternProblem(`has the repetition {${least},${most}}`)
    const lazy = this.#take('?') ? '?' : ''
    // An empty part is counted too, because it is written out like any other.
    const copies = Math.max(1, most ?? least)
    const size = checkSize(Math.max(1, atom.size) * copies + (most === undefined ? 1 : most - least))
    return { re2: `${atom.re2}{${least},${most ?? ''}}${lazy}`, size }
  }

  /** Takes a repetition. A brace that does not count is an ordinary character. */
  #readCount(): { readonly least: number; readonly most: number | undefined } | undefined {
    if (this.#take('*')) return { least: 0, most: undefined }
    if (this.#take('+')) return { least: 1, most: undefined }
    if (this.#take('?')) return { least: 0, most: 1 }
    const found = this.#takePattern(COUNT)
    if (found === undefined) return undefined
    const least = Number(found[1])
    if (found[2] === undefined) return { least, most: least }
    return { least, most: found[3] === '' ? undefined : Number(found[3]) }
  }

  #atom(): Part {
    if (this.#isNext('(')) return this.#group()
    if (this.#take('[')) return { re2: this.#characterClass(), size: 1 }
    if (this.#take('.')) return { re2: `[^${LINE_ENDS}]`, size: 1 }
    if (!this.#take('\\')) return { re2: toLiteral(this.#character()), size: 1 }
    const letter = this.#source[this.#at] ?? ''
    const members = CLASS_ESCAPES[letter]
    if (members === undefined) return { re2: toLiteral(this.#escapedCharacter()), size: 1 }
    this.#at += 1
    return { re2: `[${members}]`, size: 1 }
  }

  #group(): Part {
    const refused = LOOKAROUND.find(([start]) => this.#isNext(start))
    if (refused !== undefined) throw new PatternProblem(`uses ${refused[1]} (${refused[0]}), which is not supported`)
    const captures = !this.#take('(?:')
    if (captures) {
      if (this.#takePattern(GROUP_NAME) === undefined && !this.#take('(')) throw new PatternProblem('has no group')
      if (this.#isNext('?')) throw new PatternProblem('has a group that starts with (? and is not known')
      this.#groups += 1
    }
    const { re2, size } = this.#alternatives()
    if (!this.#take(')')) throw new PatternProblem('has a ( without a )')
    return { re2: `${captures ? '(' : '(?:'}${re2})`, size: checkSize(captures ? size + 2 : size) }
  }

  /** The content of a character class up to its end. */
  #characterClass(): string {
    const negated = this.#take('^')
    let members = ''
    while (!this.#take(']')) {
      if (this.#at >= this.#source.length) throw new PatternProblem('has a [ without a ]')
      members += this.#classMember()
    }
    // RE2 has no empty class.
    if (members === '') return negated ? `[${ANY}]` : `[^${ANY}]`
    return `[${negated ? '^' : ''}${members}]`
  }

  #classMember(): string {
    const first = this.#classCharacter()
    if (!this.#isNext('-') || this.#isNext('-]')) return typeof first === 'string' ? first : toLiteral(first)
    this.#at += 1
    if (this.#at >= this.#source.length) throw new PatternProblem('has a [ without a ]')
    const last = this.#classCharacter()
    if (typeof first === 'string' || typeof last === 'string') {
      // Beside an escape such as \d the hyphen is an ordinary character.
      return [first, 0x2d, last].map((one) => (typeof one === 'string' ? one : toLiteral(one))).join('')
    }
    if (first > last) throw new PatternProblem('has a range of characters that ends before it starts')
    return `${toLiteral(first)}-${toLiteral(last)}`
  }

  /** A character, or the members that an escape stands for. */
  #classCharacter(): number | string {
    if (!this.#take('\\')) return this.#character()
    if (this.#take('b')) return 8
    const members = CLASS_ESCAPES[this.#source[this.#at] ?? '']
    if (members === undefined) return this.#escapedCharacter()
    this.#at += 1
    return members
  }

  /** The character that an escape stands for. The backslash was taken. */
  #escapedCharacter(): number {
    const rest = this.#source.slice(this.#at, this.#at + 5)
    if (rest === '') throw new PatternProblem(String.raw`ends with a single \ `.trim())
    if (/^[1-9]|^k/.test(rest)) throw new PatternProblem(`uses a backreference (\\${rest[0]}), which is not supported`)
    if (/^0\d/.test(rest)) throw new PatternProblem(String.raw`has a number after \0; write \x and two digits`)
    if (/^[pP]/.test(rest)) throw new PatternProblem(`uses \\${rest[0]}, which is not supported; list the characters`)
    const code = /^x([\dA-Fa-f]{2})/.exec(rest) ?? /^u([\dA-Fa-f]{4})/.exec(rest)
    if (code !== null) {
      this.#at += code[0].length
      return this.#joinSurrogates(Number.parseInt(code[1] ?? '', 16))
    }
    const control = /^c([A-Za-z])/.exec(rest)
    if (control !== null) {
      this.#at += 2
      return (control[1] ?? '').charCodeAt(0) % 32
    }
    const named = CONTROL_ESCAPES[rest[0] ?? '']
    if (named === undefined) return this.#character()
    this.#at += 1
    return named
  }

  /** Two escapes for the halves of one character are that character. */
  #joinSurrogates(code: number): number {
    const low = /^\\u([Dd][C-Fc-f][\dA-Fa-f]{2})/.exec(this.#source.slice(this.#at, this.#at + 6))
    if (code < 0xd8_00 || code > 0xdb_ff || low === null) return code
    this.#at += 6
    return (code - 0xd8_00) * 0x4_00 + (Number.parseInt(low[1] ?? '', 16) - 0xdc_00) + 0x1_00_00
  }

  #character(): number {
    const code = this.#source.codePointAt(this.#at) ?? 0
    this.#at += code > 0xff_ff ? 2 : 1
    return code
  }

  #isNext(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #take(text: string): boolean {
    const found = this.#isNext(text)
    if (found) this.#at += text.length
    return found
  }

  #takePattern(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source) ?? undefined
    if (found !== undefined) this.#at += found[0].length
    return found
  }
}

function toLiteral(code: number): string {
  if (code >= 0xd8_00 && code <= 0xdf_ff) throw new PatternProblem('has half of a character')
  return `\\x{${code.toString(16)}}`
}

function checkSize(size: number): number {
  if (size > MAX_PATTERN_SIZE) {
    throw new PatternProblem(
      `is too large: with its repetitions written out it has more than ${MAX_PATTERN_SIZE} parts`,
    )
  }
  return size
}
