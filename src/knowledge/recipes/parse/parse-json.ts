import { type ParsedText, textProblem } from './parsed-text.ts'

const MAX_DEPTH = 32

/** JSON with the line of every value; a key that is there twice, or bottomless nesting, is refused. */
export function parseJsonText(text: string): ParsedText {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { problems: [textProblem(`This is not JSON: ${(error as Error).message}`, 1)] }
  }
  const scan = new JsonScan(text)
  scan.run()
  return scan.problem === undefined
    ? { value, lines: scan.lines }
    : { problems: [textProblem(scan.problem, scan.line)] }
}

interface Open {
  readonly path: string
  /** Of an object; an array counts its items. */
  readonly keys: Set<string> | undefined
  item: number
  key: string
  /** In an object, before the colon. */
  atKey: boolean
}

/** Follows a text that is known to be valid, so strings and brackets are all there is to see. */
class JsonScan {
  readonly lines = new Map<string, number>()
  line = 1
  problem: string | undefined
  readonly #text: string
  readonly #open: Open[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  run(): void {
    while (this.#at < this.#text.length && this.problem === undefined) this.#next()
  }

  #next(): void {
    const char = this.#text[this.#at] ?? ''
    const inside = this.#open.at(-1)
    this.#at += 1
    if (char === '\n') this.line += 1
    else if (char === '"') this.#string(inside)
    else if (char === '{' || char === '[') this.#enter(char === '{')
    else if (char === '}' || char === ']') this.#open.pop()
    else if (inside !== undefined && (char === ',' || char === ':')) passOver(char, inside)
    else if (!/\s/.test(char)) this.#scalar()
  }

  #enter(isObject: boolean): void {
    const path = this.#place()
    this.lines.set(path, this.line)
    this.#open.push({
      path,
      keys: isObject ? new Set() : undefined,
      item: 0,
      key: '',
      atKey: isObject,
    })
    if (this.#open.length > MAX_DEPTH) this.problem = `Nested more than ${MAX_DEPTH} levels deep`
  }

  #string(inside: Open | undefined): void {
    const from = this.#at - 1
    while (this.#text[this.#at] !== '"') this.#at += this.#text[this.#at] === '\\' ? 2 : 1
    this.#at += 1
    if (inside?.keys === undefined || !inside.atKey) {
      this.lines.set(this.#place(), this.line)
      return
    }
    const key = String(JSON.parse(this.#text.slice(from, this.#at)))
    if (inside.keys.has(key)) this.problem = 'A key is there twice'
    inside.keys.add(key)
    inside.key = key
  }

  #scalar(): void {
    this.lines.set(this.#place(), this.line)
    while (/[^\s,\]}]/.test(this.#text[this.#at] ?? ' ')) this.#at += 1
  }

  #place(): string {
    const inside = this.#open.at(-1)
    if (inside === undefined) return ''
    const name = inside.keys === undefined ? String(inside.item) : inside.key
    return inside.path === '' ? name : `${inside.path}.${name}`
  }
}

function passOver(mark: ',' | ':', inside: Open): void {
  inside.atKey = mark === ',' && inside.keys !== undefined
  if (mark === ',') inside.item += 1
}
